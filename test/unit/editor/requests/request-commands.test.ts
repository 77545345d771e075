import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { logged } from "../../../support/logged-requests.ts";

const { REQUEST_COMMANDS } = await import("#editor/requests/request-commands.ts");
const { syntheticRow } = await import("#editor/kit/tree.ts");

test("the result of a request that is sent again comes first in what is said", async () => {
	const told: string[] = [];
	fakeVscode({
		window: { setStatusBarMessage: (text: string) => told.push(text), withProgress: async () => undefined },
		ProgressLocation: {},
	});
	const first = logged({ url: "https://host.example/user" }, "one");
	const second = { ...first, id: "r99" };
	const connection = { id: "one", label: "Host", baseUrl: "https://host.example", service: "codehost" };
	const parts = {
		registry: { get: () => connection },
		log: { get: () => first, list: () => [second, first] },
		clients: { codehost: { open: async () => ({ client: { repeat: async () => ({ status: 200 }) } }) } },
	};
	const { run } = REQUEST_COMMANDS.find(({ id }) => id === "switchboard.requests.sendAgain") ?? assert.fail();
	const call = { argument: undefined, row: syntheticRow({ request: first.id }) };
	assert.deepEqual(await Reflect.apply(run, undefined, [call, parts, ""]), { request: "r99", status: 200 });
	assert.equal(told.at(-1), "200 from GET /user");
});

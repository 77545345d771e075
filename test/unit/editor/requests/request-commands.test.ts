import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { logged } from "../../../support/logged-requests.ts";

const { REQUEST_COMMANDS } = await import("#editor/requests/request-commands.ts");
const { syntheticRow } = await import("#editor/kit/tree.ts");

test("a request that is sent again is selected, and its result comes first", async () => {
	const told: string[] = [];
	const revealed: string[] = [];
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
		tree: { revealAt: async (key: string) => revealed.push(key) },
		clients: { codehost: { open: async () => ({ client: { repeat: async () => ({ status: 200 }) } }) } },
	};
	const { run } = REQUEST_COMMANDS.find(({ id }) => id === "switchboard.requests.sendAgain") ?? assert.fail();
	const sendAgain = (call: object) => Reflect.apply(run, undefined, [call, parts, ""]);
	const row = syntheticRow({ request: first.id });
	assert.deepEqual(await sendAgain({ argument: undefined, row }), { request: "r99", status: 200 });
	assert.deepEqual([told.at(-1), revealed], ["200 from GET /user", ["r99"]]);
	await sendAgain({ argument: { request: first.id }, row: undefined });
	assert.deepEqual(revealed, ["r99"], "a caller with an argument has no view in mind");
});

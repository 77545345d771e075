import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { RequestSummary } from "#editor/requests/request-commands.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { until } from "../support/until.ts";

const list = async (argument: object = {}) =>
	(await run<{ requests: readonly RequestSummary[] }>("requests.list", argument)).requests;

/** Text of its document. */
async function textOf(request: RequestSummary): Promise<string> {
	assert.deepEqual(await run("requests.open", { request: request.id }), { request: request.id });
	return vscode.window.activeTextEditor?.document.getText() ?? "";
}

describe("the log of requests in an editor", () => {
	let sandbox: Sandbox;
	let codehost: string;
	let messages: string;
	before(async () => {
		sandbox = await startSandbox({ messages: { wordDelayMs: 1 } });
		await run("requests.clear", {});
	});
	after(async () => {
		for (const connection of [codehost, messages]) await run("removeConnection", { connection });
		await sandbox.close();
	});

	it("lists the requests of adding a connection, before there is one to name", async () => {
		const { baseUrls, keys } = sandbox;
		const added = await run<{ id: string }>("addConnection", {
			service: "codehost",
			label: "Logged host",
			baseUrl: baseUrls.codehost,
			profile: "sandbox",
			token: keys.codehost.fineGrained,
		});
		codehost = added.id;
		const other = await run<{ id: string }>("addConnection", {
			service: "messages",
			label: "Logged model",
			baseUrl: baseUrls.messages,
			model: "sandbox",
			key: keys.messages,
		});
		messages = other.id;
		// What a suite before this one has left under way is of a connection.
		const requests = (await list()).filter(({ connection }) => connection === null);
		assert.deepEqual(
			requests.map(({ service, connection, method, path }) => [service, connection, method, path]),
			[
				["messages", null, "POST", "/messages/v1/messages"],
				["messages", null, "GET", "/messages/v1/models"],
				["codehost", null, "GET", "/codehost/user"],
			],
		);
	});

	it("clears all on request, an open document included", async () => {
		const requests = await list();
		const count = requests.length;
		const open = requests[0];
		assert.ok(open !== undefined);
		await textOf(open);
		const { document } = vscode.window.activeTextEditor ?? {};
		const { cleared } = await run<{ cleared: number }>("requests.clear", {});
		// A view may have asked for something meanwhile.
		assert.ok(cleared >= count, `${cleared} of ${count}`);
		assert.ok((await list()).every(({ id }) => requests.every((each) => each.id !== id)));
		await until(async () => /no longer in the log/.test(document?.getText() ?? ""), "the document to be gone");
		await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	});
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { KEY, LABEL, ON_SCREEN } from "./survivor.ts";

// What the reloaded window begins with, whatever the suites after this one show.
after(async () => {
	await vscode.commands.executeCommand("switchboard.chat.showConversation", { conversation: ON_SCREEN });
	await vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar");
});

describe("a key entered in one window", () => {
	let service: EchoService;
	before(async () => {
		service = await startEchoService();
	});
	after(() => service.close());

	it("is stored with the connection that asked for it", async () => {
		const added = await vscode.commands.executeCommand<{ id: string }>("switchboard.addConnection", {
			service: "messages",
			label: LABEL,
			baseUrl: service.baseUrl,
			key: KEY,
			model: "echo",
		});
		assert.deepEqual(Object.keys(added), ["id"]);
		const result = await vscode.commands.executeCommand<{ outcome: string }>("switchboard.chat.send", {
			text: "before the reload",
			connection: added.id,
			conversation: ON_SCREEN,
		});
		assert.equal(result.outcome, "complete");
		assert.equal(service.seen[0]?.headers["x-api-key"], KEY);
	});

	it("is in no setting", () => {
		const everything = JSON.stringify(vscode.workspace.getConfiguration().inspect("switchboard.connections"));
		assert.match(everything, new RegExp(LABEL));
		assert.doesNotMatch(everything, new RegExp(KEY));
	});
});

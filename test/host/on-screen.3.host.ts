import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import { startEchoService } from "../support/echo-service.ts";
import { ON_SCREEN } from "./survivor.ts";

const run = <T>(command: string, argument: object): Thenable<T> =>
	vscode.commands.executeCommand<T>(`switchboard.${command}`, argument);

describe("a conversation on screen", () => {
	it("is left there when its window ends", async () => {
		const service = await startEchoService();
		try {
			const { baseUrl } = service;
			const label = "On screen";
			const { id } = await run<{ id: string }>("addConnection", {
				...{ service: "messages", label, baseUrl, key: "host-suite-key-on-screen", model: "echo" },
			});
			const said = { text: "before the reload", connection: id, conversation: ON_SCREEN };
			assert.equal((await run<{ outcome: string }>("chat.send", said)).outcome, "complete");
			await run("chat.showConversation", { conversation: ON_SCREEN });
			await vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar");
		} finally {
			await service.close();
		}
	});
});

import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import { ON_SCREEN } from "./survivor.ts";

describe("the first command of a window", () => {
	it("means the conversation that was on screen before the reload", async () => {
		const document = await vscode.workspace.openTextDocument({
			content: "const answer = 42;\n",
			language: "typescript",
		});
		const editor = await vscode.window.showTextDocument(document);
		editor.selection = new vscode.Selection(0, 0, 0, 18);
		const asked = await vscode.commands.executeCommand<{ conversation: string }>("switchboard.chat.ask", {});
		assert.equal(asked.conversation, ON_SCREEN);
		const request = await vscode.commands.executeCommand("switchboard.chat.showRequest", { text: "What is this?" });
		const sent = JSON.stringify(request);
		assert.ok(sent.includes("before the reload") && sent.includes("const answer = 42;"), sent);
	});
});

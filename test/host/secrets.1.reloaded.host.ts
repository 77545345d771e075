import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import { KEY, ON_SCREEN } from "./survivor.ts";

describe("the first command of a window", () => {
	it("means the conversation that was on screen before the reload", async () => {
		const content = "const answer = 42;\n";
		const document = await vscode.workspace.openTextDocument({ content, language: "typescript" });
		const editor = await vscode.window.showTextDocument(document);
		editor.selection = new vscode.Selection(0, 0, 0, 18);
		const asked = await vscode.commands.executeCommand<{ conversation: string }>("switchboard.chat.ask", {});
		assert.equal(asked.conversation, ON_SCREEN);
		const request = await vscode.commands.executeCommand("switchboard.chat.showRequest", { text: "What is this?" });
		const sent = JSON.stringify(request);
		assert.ok(sent.includes("before the reload") && sent.includes("const answer = 42;"), sent);
	});
});

describe("a key after the window was reloaded", () => {
	it("is taken out of what is attached before it was used", async () => {
		const folder = await mkdtemp(join(tmpdir(), "switchboard-attach-"));
		const file = join(folder, "keys.txt");
		await writeFile(file, `the key is ${KEY}.`);
		const attached = await vscode.commands.executeCommand<{ bytes: number }>("switchboard.chat.attach", {
			kind: "file",
			uri: String(vscode.Uri.file(file)),
		});
		await rm(folder, { recursive: true });
		assert.equal(attached.bytes, "the key is [redacted].".length);
		const request = JSON.stringify(
			await vscode.commands.executeCommand("switchboard.chat.showRequest", { text: "look" }),
		);
		assert.match(request, /the key is \[redacted\]/);
	});
});

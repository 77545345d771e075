import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { until } from "../support/until.ts";

const run = <T>(command: string, argument?: object): Thenable<T> =>
	vscode.commands.executeCommand<T>(command, argument);

const ask = () =>
	run<{ label: string; bytes: number; conversation: string }>("switchboard.chat.ask", { kind: "terminal" });

describe("The last command of a terminal", () => {
	let terminal: vscode.Terminal;

	before(async function () {
		await assert.rejects(async () => ask(), /No terminal command has been seen yet/);
		terminal = vscode.window.createTerminal(process.platform === "win32" ? {} : { shellPath: "/bin/bash" });
		terminal.show();
		const isThere = async () => terminal.shellIntegration !== undefined;
		// A shell may be none that the editor has an integration for, or the machine may have no terminals.
		if (
			!(await until(isThere, "the shell integration", 30_000).then(
				() => true,
				() => false,
			))
		)
			this.skip();
	});

	after(() => terminal?.dispose());

	it("is attached with its output, as plain text", async () => {
		const ended = new Promise<void>((resolve) => {
			const listener = vscode.window.onDidEndTerminalShellExecution(() => {
				listener.dispose();
				resolve();
			});
		});
		terminal.shellIntegration?.executeCommand("echo one-two");
		await ended;
		const { label, conversation } = await ask();
		assert.equal(label, "echo one-two");
		const shown = await run<{ body: object }>("switchboard.chat.showRequest", { conversation, text: "Explain" });
		assert.match(
			JSON.stringify(shown.body),
			/Terminal: echo one-two\\n```console\\n[^`]*\$ echo one-two\\none-two\\n\[exit code 0\]\\n```/,
		);
	});
});

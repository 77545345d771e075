import * as vscode from "vscode";
import type { Snapshot } from "#app/chat/attachments.ts";
import { oneLine } from "#base/one-line.ts";
import { replaceUnprintable } from "#base/unprintable.ts";
import { nothing } from "./from-editor.ts";

/** Characters of a raw output that are kept, from its end. */
const MOST = 64 * 1_024;

interface SeenCommand {
	readonly execution: vscode.TerminalShellExecution;
	/** Raw output; of a long one the end. */
	output: string;
	/** Line about its end; empty before. */
	end: string;
}

/** Last command of each terminal: the editor hands out an output only while it arrives. */
let seen = new WeakMap<vscode.Terminal, SeenCommand>();
let last: SeenCommand | undefined;

/** Remembers the last command of each terminal, until it is disposed. */
export function rememberCommands(): vscode.Disposable {
	const started = vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
		last = { execution, output: "", end: "" };
		seen.set(terminal, last);
		// What came before a failure stays.
		collect(last).catch(() => undefined);
	});
	const ended = vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) => {
		const command = seen.get(terminal);
		if (command?.execution !== execution) return;
		command.end = exitCode === undefined ? "[ended]" : `[exit code ${exitCode}]`;
	});
	return {
		dispose() {
			started.dispose();
			ended.dispose();
			seen = new WeakMap();
			last = undefined;
		},
	};
}

async function collect(command: SeenCommand): Promise<void> {
	for await (const piece of command.execution.read()) {
		command.output += piece;
		if (command.output.length > 2 * MOST) command.output = command.output.slice(-MOST - 1);
	}
	// As where its terminal was closed.
	command.end ||= "[ended]";
}

/** Attachment of the last command of the active terminal, or else of any. Throws if none was seen. */
export function commandSnapshot(): Snapshot {
	const { activeTerminal } = vscode.window;
	const command = (activeTerminal && seen.get(activeTerminal)) ?? last;
	if (command === undefined) {
		const advice = "Run it again, or select its output and choose Ask in Chat.";
		throw nothing("terminal", `No terminal command has been seen yet. ${advice}`);
	}
	const { execution, output } = command;
	const end = command.end || "[still running]";
	const line = execution.commandLine.value.trim();
	const left = output.length > MOST ? "[earlier output is left out]\n" : "";
	const shown = [`${execution.cwd?.fsPath ?? ""}$ ${line}`, left + plainOutput(output.slice(-MOST)), end];
	const text = shown.filter((part) => part !== "").join("\n");
	return { kind: "terminal", label: oneLine(line, 80) || "Command", text, language: "console" };
}

/** Attachment of the text selected in the active terminal, which can be copied only: the clipboard gets its text back. */
export async function terminalSelection(): Promise<Snapshot> {
	const { clipboard } = vscode.env;
	const before = await clipboard.readText();
	try {
		await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
		const text = await clipboard.readText();
		const label = `Selection in ${vscode.window.activeTerminal?.name ?? "terminal"}`;
		return { kind: "terminal", label, text: replaceUnprintable(text, () => ""), language: "console" };
	} finally {
		await clipboard.writeText(before);
	}
}

const ESC = "\u001b";
const BEL = "\u0007";

/** Parts of full-screen programs such as an editor. */
const FULL_SCREEN = new RegExp(String.raw`${ESC}\[\?1049h.*?(?:${ESC}\[\?1049l|$)`, "gs");

/** Sequences of ECMA-48: first those with a text, such as titles, links and the marks of shell integration. */
const SEQUENCE = new RegExp(
	String.raw`${ESC}(?:[\]PX^_][^${BEL}${ESC}\n]*(?:${BEL}|${ESC}\\)?|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])`,
	"g",
);

/** Output as it is left on screen: without full-screen programs, control sequences and overwritten parts of lines. */
export function plainOutput(raw: string): string {
	const text = raw.replaceAll(FULL_SCREEN, "").replaceAll(SEQUENCE, "");
	// A carriage return begins a line anew, as progress bars do.
	const lines = text.split("\n").map((line) => line.trimEnd().split("\r").at(-1));
	return replaceUnprintable(lines.join("\n"), () => "").trimEnd();
}

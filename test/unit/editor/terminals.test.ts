import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeVscode } from "../../support/fake-vscode.ts";
import { settle } from "../../support/scripted-sender.ts";

const { commandSnapshot, plainOutput, rememberCommands, terminalSelection } = await import("#editor/terminals.ts");

/** The editor's events of terminals: what shells do is the test's to choose. */
function setUp(window: { activeTerminal?: object } = {}) {
	const heard: Record<string, (event: object) => void> = {};
	const on = (name: string) => (listener: (event: object) => void) => {
		heard[name] = listener;
		return { dispose: () => delete heard[name] };
	};
	const events = { onDidStartTerminalShellExecution: on("start"), onDidEndTerminalShellExecution: on("end") };
	fakeVscode({ window: Object.assign(window, events) });
	const held = rememberCommands();
	const run = async (terminal: object, value: string, ...pieces: readonly string[]) => {
		const over = Promise.withResolvers<void>();
		async function* read() {
			yield* pieces;
			await over.promise;
		}
		const execution = { commandLine: { value }, cwd: { fsPath: "/work" }, read };
		heard["start"]?.({ terminal, execution });
		await settle();
		return async (exitCode?: number) => {
			if (exitCode !== undefined) heard["end"]?.({ terminal, execution, exitCode });
			over.resolve();
			await settle();
		};
	};
	return { held, heard, run, window };
}

test("control sequences, titles and overwritten text of an output are left out", () => {
	for (const [raw, plain] of [
		["\u001b]633;C\u0007\u001b[1;32mok\u001b[0m\r\n", "ok"],
		["\u001b]0;me@host: ~/a b (x)\u0007\u001b]8;;https://a.example/?q=a b\u001b\\link\u001b]8;;\u001b\\", "link"],
		["10%\r50%\u001b[K\r100%\r\r\ndone\r", "100%\ndone"],
		["\u001b(B\u001b7\u001b[?25lspin\u0007\u001b8\u001b=\u001b[?25h", "spin"],
		["before\n\u001b[?1049h\u001b[2Jtext of a full-screen program\u001b[?1049lafter", "before\nafter"],
		["\u001b[?1049hstill open", ""],
		["]\u0007] [0m stays, \t too", "]] [0m stays, \t too"],
		["\u001b]633;D;0 was cut\nnext\u001b[0", "\nnext0"],
		["one\n\ntwo\n\n", "one\n\ntwo"],
	] as const) {
		assert.equal(plainOutput(raw), plain, JSON.stringify(raw));
	}
	const long = "x".repeat(150_000);
	assert.equal(plainOutput(`\u001b[K${long}`), long, "in time");
});

test("the last command of the active terminal is attached, or else of any", async () => {
	const [one, other] = [{}, {}];
	const { held, run, window } = setUp();
	const none = /^No terminal command has been seen yet\. Run it again/;
	assert.throws(commandSnapshot, { code: "invalid", message: none });
	const end = await run(one, "npm test ", "\u001b]633;C\u0007\u001b[31m1 failed\u001b[0m\r\n");
	const shared = { kind: "terminal", label: "npm test", language: "console" };
	assert.deepEqual(commandSnapshot(), { ...shared, text: "/work$ npm test\n1 failed\n[still running]" });
	await end(1);
	assert.equal(commandSnapshot().text, "/work$ npm test\n1 failed\n[exit code 1]");
	const close = await run(other, "true");
	await close();
	assert.equal(commandSnapshot().text, "/work$ true\n[ended]");
	window.activeTerminal = one;
	assert.equal(commandSnapshot().label, "npm test");
	window.activeTerminal = {};
	assert.equal(commandSnapshot().label, "true");
	await end(7);
	assert.match(commandSnapshot().text, /\[ended\]/, "of another terminal");
	held.dispose();
	assert.throws(commandSnapshot, { message: none });
});

test("of a long output the end is kept, and that something is missing is said", async () => {
	const { held, run } = setUp();
	const line = `${"x".repeat(99)}\n`;
	await run({}, "yes", ...Array.from({ length: 20_000 }, () => line), "the end");
	const { text } = commandSnapshot();
	assert.match(text, /^\/work\$ yes\n\[earlier output is left out\]\nx*\n[x\n]*\nthe end\n\[still running\]$/);
	assert.ok(text.length < 66_000, String(text.length));
	held.dispose();
});

test("a selection is copied, and the clipboard gets its text back", async () => {
	for (const fails of [false, true]) {
		let text = "mine";
		const executeCommand = async (id: string) => {
			text = `${id}\u200b`;
			if (fails) throw new Error("no terminal");
		};
		const writeText = async (value: string) => {
			text = value;
		};
		const clipboard = { readText: async () => text, writeText };
		fakeVscode({ commands: { executeCommand }, env: { clipboard }, window: { activeTerminal: { name: "zsh" } } });
		const taken = await terminalSelection().catch(String);
		const copied = "workbench.action.terminal.copySelection";
		const snapshot = { kind: "terminal", label: "Selection in zsh", text: copied, language: "console" };
		assert.deepEqual([taken, text], [fails ? "Error: no terminal" : snapshot, "mine"]);
	}
});

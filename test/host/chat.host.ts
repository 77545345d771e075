import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { QueuedResult, SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { until } from "../support/until.ts";

const run = <T>(command: string, argument?: object): Thenable<T> =>
	vscode.commands.executeCommand<T>(command, argument);
const send = (argument: object) => run<SendResult>("switchboard.chat.send", argument);
const listQueue = async (argument: object) =>
	(await run<{ queue: readonly { id: string }[] }>("switchboard.chat.queue", argument)).queue;

describe("the chat in an editor", () => {
	let sandbox: Sandbox;
	let connection: string;
	before(async () => {
		sandbox = await startSandbox({ curious: true, messages: { wordDelayMs: 5 } });
		const added = await run<{ id: string }>("switchboard.addConnection", {
			service: "messages",
			label: "Sandbox",
			baseUrl: sandbox.baseUrls.messages,
			key: `'${sandbox.keys.messages}'`,
			model: "sandbox",
		});
		connection = added.id;
		await run("switchboard.chat.selectConnection", { connection });
	});
	after(async () => {
		await run("switchboard.removeConnection", { connection });
		await sandbox.close();
	});

	it("attaches a terminal's last command, skipped without shell integration", async function () {
		const terminal = vscode.window.createTerminal(process.platform === "win32" ? {} : { shellPath: "/bin/bash" });
		terminal.show();
		// Its prompt tells the folder; what is run before may end with the prompt.
		const isThere = () => terminal.shellIntegration?.cwd !== undefined;
		// The machine may have no terminals, or a shell that the editor does not integrate.
		if (await until(isThere, "the shell integration", 30_000).catch(() => true)) this.skip();
		let ends = 0;
		const ended = vscode.window.onDidEndTerminalShellExecution(() => {
			ends += 1;
		});
		try {
			await run("switchboard.chat.new", {});
			const echo = async () => {
				const before = ends;
				terminal.shellIntegration?.executeCommand("echo one-two");
				await until(() => ends > before, "the end of the command");
				const { label } = await run<{ label: string }>("switchboard.chat.attach", { kind: "terminal" });
				const sent = JSON.stringify(await run("switchboard.chat.showRequest", { text: "Why?" }));
				return label === "echo one-two" && sent.includes(String.raw`$ echo one-two\none-two\n[exit code 0]\n`);
			};
			await until(echo, "the output of the command");
			await vscode.env.clipboard.writeText("mine");
			await run("workbench.action.terminal.selectAll");
			const selected = await run<{ label: string; bytes: number }>("switchboard.chat.ask", terminal);
			assert.equal(selected.label, `Selection in ${terminal.name}`);
			assert.ok(selected.bytes >= "echo one-two\none-two".length, String(selected.bytes));
			assert.equal(await vscode.env.clipboard.readText(), "mine");
		} finally {
			ended.dispose();
			terminal.dispose();
			await run("switchboard.chat.new", {});
		}
	});

	it("attaches the errors of the workspace where there are too many problems for all", async () => {
		const problems = vscode.languages.createDiagnosticCollection("test");
		try {
			const line = new vscode.Range(0, 0, 0, 1);
			const { Error: error, Hint: hint } = vscode.DiagnosticSeverity;
			const hints = Array.from({ length: 1_200 }, (_, n) => new vscode.Diagnostic(line, `a hint, ${n}`, hint));
			problems.set(vscode.Uri.file("/a.md"), hints);
			problems.set(vscode.Uri.file("/b.ts"), [new vscode.Diagnostic(line, "this is broken", error)]);
			await run("switchboard.chat.new", {});
			const { label } = await run<{ label: string }>("switchboard.chat.attach", { kind: "problems" });
			assert.match(label, /^\d+ problems in the workspace$/);
			const sent = JSON.stringify(await run("switchboard.chat.showRequest", { text: "Why?" }));
			assert.ok(sent.includes("error: this is broken") && sent.includes("more are not shown"), sent.slice(0, 500));
		} finally {
			problems.dispose();
			await run("switchboard.chat.new", {});
		}
	});

	it("reports a queued message that waits for a person, which can then be taken out", async () => {
		const conversation = "to-queue";
		const endless = { sandbox: { say: ["word ".repeat(4_000)], wordDelayMs: 100 } };
		const reply = send({ text: "Tell me a lot", conversation, metadata: endless });
		await until(async () => requestsTo(sandbox, "messages", "under way").length > 0, "the reply to begin");
		const queued = run<QueuedResult>("switchboard.chat.send", { text: "And then?", conversation, queue: true });
		await until(async () => (await listQueue({ conversation })).length === 1, "the message to be queued");
		await run("switchboard.chat.stop", { conversation });
		await reply;
		const result = await queued;
		assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
		const [waiting] = await listQueue({ conversation });
		assert.deepEqual(result, { conversation, queued: { id: waiting?.id, reason: "reply" } });
		assert.deepEqual(await listQueue({ conversation, remove: result.queued.id }), []);
	});

	it("removes a conversation's own settings with null, and names a wrong field", async () => {
		const conversation = "own-settings";
		await send({ text: "Hello", conversation });
		const set = (argument: object) =>
			run<{ title: string; connection?: string; parameters: object }>("switchboard.chat.setConversation", {
				conversation,
				...argument,
			});
		const own = await set({ title: " Mine\n\u202eonly ", connection, parameters: { topK: 3, temperature: 0.5 } });
		assert.deepEqual(own, {
			conversation,
			title: "Mine only",
			connection,
			parameters: { topK: 3, temperature: 0.5 },
		});
		assert.deepEqual((await set({ parameters: { topK: null } })).parameters, { temperature: 0.5 });
		assert.deepEqual((await set({ parameters: null })).parameters, {});
		assert.equal((await set({ title: null })).title, "Hello");
		assert.equal((await set({ connection: null })).connection, undefined);
		for (const [argument, field] of [
			[{ parameters: [] }, "parameters"],
			[{ parameters: "topK" }, "parameters"],
			[{ parameters: { topK: "3" } }, "topK"],
			[{ title: 5 }, "title"],
			[{ connection: "nowhere" }, "connection"],
		] as const) {
			await assert.rejects(async () => set(argument), new RegExp(`: ${field} `), field);
		}
	});

	it("goes through the history one conversation at a time, and stays at its ends", async () => {
		for (const text of ["Older", "Newer"]) await send({ text });
		const { conversations } = await run<{ conversations: { conversation: string }[] }>("switchboard.chat.list", {});
		const [first, second] = conversations.map(({ conversation }) => conversation);
		await run("switchboard.chat.showConversation", { conversation: first });
		const step = async (to: "next" | "previous") =>
			(await run<{ conversation: string }>(`switchboard.chat.${to}Conversation`)).conversation;
		assert.deepEqual([await step("next"), await step("previous"), await step("previous")], [second, first, first]);
	});

	it("opens a reply as a Markdown document", async () => {
		const { conversation, blocks } = await send({ text: "Hello" });
		await run("switchboard.chat.openReply", { conversation });
		const document = vscode.window.activeTextEditor?.document;
		assert.equal(document?.languageId, "markdown");
		assert.equal(document?.getText(), `${blocks.map(({ text }) => text).join("\n\n")}\n`);
	});
});

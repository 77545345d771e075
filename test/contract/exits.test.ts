import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { askOnce } from "#app/chat/ask-once.ts";
import type { SessionEvent } from "#app/chat/changes.ts";
import { ChatSession } from "#app/chat/session.ts";
import { TEXT_SCHEME } from "#app/contributions.ts";
import { Redactor } from "#base/redaction.ts";
import { chatParts, MESSAGES } from "../support/chat-parts.ts";
import { chatWindow, storageFolder } from "../support/chat-window.ts";
import { errorOf } from "../support/codehost-client.ts";
import { openWindow } from "../support/codehost-window.ts";
import { fakeVscode } from "../support/fake-vscode.ts";
import { notice, openLog } from "../support/logged-requests.ts";
import { withField } from "../support/misbehavior.ts";
import { assertRedacted, PLANTED, REPEATED } from "../support/planted.ts";
import { reply } from "../support/replay-server.ts";
import { settle, textDelta } from "../support/scripted-sender.ts";
import { openPetstoreWindow } from "./app/petstore-window.ts";
import { toolWindow } from "./editor/tool-window.ts";
import { clientAt, hello, replayServer } from "./messages/client-at.ts";

// They load the editor's API, which is only there after the fake one.
const { redactExits } = await import("#editor/kit/leaving.ts");
const { confirmed, notify, sayQuietly } = await import("#editor/kit/prompts.ts");
const { EditorLog } = await import("#editor/log.ts");
const { prepareTool } = await import("#editor/models/tools.ts");
const { ShownTexts } = await import("#editor/shown-texts.ts");
const vscode = await import("vscode");

const server = replayServer();

const REFUSAL = { status: 400, message: REPEATED };

const ATTACHED = { id: "a1", kind: "file", label: REPEATED, text: REPEATED } as const;

/** All that leaves a conversation, and a question of another extension, whose service repeats the secret in pieces. */
async function talk() {
	const { parts, registry, sender, redactor, defaults } = chatParts();
	const { id } = await registry.add({ ...MESSAGES, profile: "anthropic" }, PLANTED);
	redactor.register(PLANTED);
	defaults.value = { maxTokens: 100, system: REPEATED };
	const answer = async () => {
		await settle();
		sender.last.take(...(REPEATED.match(/.{1,7}/gs) ?? []).map((piece) => textDelta(piece)));
		sender.last.end({ outcome: "complete" });
	};
	const session = new ChatSession("chat", parts);
	const blocks: SessionEvent[] = [];
	session.onDidChange((event) => event.type === "block" && blocks.push(event));
	const ending = session.send(REPEATED, { attachments: [ATTACHED] });
	await answer();
	const shown = JSON.stringify([await ending, blocks, session.entries]);
	const heard: string[] = [];
	const asks = [{ role: "user", content: REPEATED }];
	const question = { caller: "test", connection: id, messages: asks, system: [REPEATED] };
	const { signal } = new AbortController();
	const asking = askOnce(question, parts, { signal, onText: (piece) => heard.push(piece) });
	await answer();
	const answered = `${heard.join("")} ${JSON.stringify(await asking)}`;
	const [sent = "", asked = ""] = sender.replies.map(({ request }) => JSON.stringify(request));
	return { sent, shown, asked, answered };
}

/** What a new window writes and sends that must wait for the stored secrets; `name` matches a file. */
async function kept(context: TestContext, name: RegExp): Promise<string> {
	const folder = await storageFolder(context);
	let learn = () => {};
	const ready = () => settle().then(() => learn());
	const { conversations, store, redactor, until, sender } = await chatWindow(context, { folder, ready });
	void conversations.create("open").send(REPEATED, { attachments: [ATTACHED] });
	store.drafts.set("open", { text: REPEATED, attachments: [ATTACHED], edits: [{ message: "t1", text: REPEATED }] });
	learn = () => void redactor.register(PLANTED);
	await until(() => sender.replies.length > 0);
	await store.change("closed", { t: "facts", title: REPEATED });
	await store.flush();
	assertRedacted(JSON.stringify(sender.last.request));
	const files = join(folder, "conversations");
	return readFile(join(files, (await readdir(files)).find((each) => name.test(each)) ?? ""), "utf8");
}

/** Words that a window which knows the secret shows while `say` runs, and what that resolves to. */
async function shown(say: (redactor: Redactor) => unknown): Promise<string> {
	const words: unknown[] = [];
	const show = async (...more: readonly unknown[]) => void words.push(...more);
	const window = {
		createOutputChannel: () => ({ error: show }),
		showTextDocument: show,
		setStatusBarMessage: show,
		showInformationMessage: show,
		showWarningMessage: show,
	};
	fakeVscode({ window, Uri: { from: ({ path }: { readonly path: string }) => ({ path }) } });
	const redactor = new Redactor();
	redactor.register(PLANTED);
	redactExits(redactor);
	return [await say(redactor), ...words].map(String).join("\n");
}

/** What leaves at each exit that needs no editor, where a secret was planted; `test/host/exits.host.ts` has the others. */
const EXITS: Readonly<Record<string, (context: TestContext) => Promise<string>>> = {
	"an error of a messages service": async () => {
		const body = JSON.stringify({ error: { message: REPEATED } });
		const { baseUrl } = server.play({ bytes: reply(body, { status: "400 No" }) });
		const { error } = await clientAt(baseUrl, { key: PLANTED }).send(hello);
		return `${error?.stack} ${JSON.stringify(error)}`;
	},
	"an error of a code host": async (context) => {
		const { sandbox, redactor, addPat, clients } = await openWindow(context);
		const { client } = await clients.open((await addPat()).id);
		redactor.register(PLANTED);
		sandbox.codehost.behave({ fail: REFUSAL });
		return String((await errorOf(client.getUser())).stack);
	},
	"an error of a pet store": async (context) => {
		const { sandbox, redactor, add, clients } = await openPetstoreWindow(context);
		const { client } = await clients.open((await add()).id);
		redactor.register(PLANTED);
		sandbox.petstore.behave({ fail: REFUSAL });
		return String((await errorOf(client.call("getInventory", {}))).stack);
	},
	"the log": () => shown((redactor) => new EditorLog(redactor).error(REPEATED)),
	"a notification": () => shown(() => notify("Warning", REPEATED)),
	"a dialog": () => shown(() => confirmed(REPEATED, "Delete", REPEATED)),
	"the status bar": () => shown(() => sayQuietly(REPEATED)),
	"the document of a text": () =>
		shown(async () => {
			const texts = new ShownTexts();
			await texts.show("Failures.txt", REPEATED);
			return texts.text(vscode.Uri.from({ scheme: TEXT_SCHEME, path: "/1/Failures.txt" }));
		}),
	"the list of requests": async () => {
		const { log, redactor } = openLog();
		const url = `https://host.example/?q=${encodeURIComponent(PLANTED)}`;
		log.add({ ...notice, url, headers: { "x-key": REPEATED }, body: REPEATED }, null);
		redactor.register(PLANTED);
		return JSON.stringify(log.list());
	},
	"a request of a conversation": async () => (await talk()).sent,
	"a reply of a conversation": async () => (await talk()).shown,
	"a question of another extension": async () => (await talk()).asked,
	"an answer to another extension": async () => (await talk()).answered,
	"the journal of a conversation": (context) => kept(context, /^open.*\.jsonl$/),
	"the journal of a closed conversation": (context) => kept(context, /^closed.*\.jsonl$/),
	"a draft": (context) => kept(context, /draft/),
	"the result of a tool": async (context) => {
		const { host, rooms } = await toolWindow(context, "codehost");
		const { sandbox, redactor, addPat, repositories } = host;
		const { id: connection } = await addPat();
		await repositories.add({ connection, repository: "exchange/switchboard" });
		// The secrets that are stored are known only once that is said.
		const secrets = { closedBy: () => undefined, ready: async () => void redactor.register(PLANTED) };
		sandbox.codehost.behave({}, withField("title", REPEATED));
		const input = { repository: "exchange/switchboard", limit: 1 };
		const late = { ...rooms, secrets };
		return prepareTool("switchboard_list_issues", input, late).run(new AbortController().signal);
	},
};

for (const [exit, leave] of Object.entries(EXITS)) {
	test(`${exit} has no form of a planted secret`, async (context) => assertRedacted(await leave(context)));
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatSession } from "#app/chat/session.ts";
import { ClientError } from "#base/errors.ts";
import type { ChatRoom } from "#editor/chat/chat-room.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { settle } from "../../../support/scripted-sender.ts";

const { AttachmentController } = await import("#editor/chat/attachment-controller.ts");
const { mayCost, say } = await import("#editor/chat/say.ts");

/** A conversation into which a picture is pasted, which is kept when the test says so; `window` is that of the editor. */
async function setUp(window: object = {}) {
	const getConfiguration = () => ({ get: () => undefined, inspect: () => undefined });
	fakeVscode({ workspace: { getConfiguration }, window });
	const { parts, drafts, clock, sender, registry } = chatParts();
	await registry.add(MESSAGES, "key-12345");
	const session = new ChatSession("chat", parts);
	const kept = Promise.withResolvers<object>();
	const store = { drafts, images: { keep: () => kept.promise } };
	const conversations = { active: session };
	// What is not there is not used.
	const of = <T>(value: object) => value as T;
	const told: object[] = [];
	const panels = { tell: async (message: object) => void told.push(message), composerChanged: () => undefined };
	const { secretFilter } = parts;
	const attachments = new AttachmentController(of({ conversations, store, secretFilter, clock, panels }));
	const room = of<ChatRoom>({ attachments, conversations, models: parts, store, panels });
	const paste = (more = {}) =>
		attachments.handle(
			{ type: "paste-image", conversation: "chat", label: "cat.png", data: "", ...more },
			of({}),
			() => undefined,
		);
	return {
		session,
		conversations,
		attachments,
		drafts,
		sender,
		kept,
		told,
		paste,
		say: (text: string, now = false) => say(text, room, now),
	};
}

const IMAGE = { hash: "0".repeat(64), mediaType: "image/png", bytes: 1, width: 1, height: 1 };

test("an image pasted right before a message goes with it once, even without text", async () => {
	const { session, drafts, sender, kept, paste, say } = await setUp();
	const pasted = paste();
	const sent = [say(""), say("")];
	await settle();
	assert.equal(session.entries.length, 0);
	kept.resolve(IMAGE);
	await pasted;
	await settle();
	const [turn, reply, ...more] = session.entries;
	assert.ok(turn?.role === "user" && reply !== undefined);
	assert.deepEqual([turn.attachments.map(({ kind }) => kind), turn.text, more.length], [["image"], "", 0]);
	assert.deepEqual([drafts.of("chat").attachments, session.queue], [[], []]);
	sender.last.end({ outcome: "complete" });
	assert.equal((await Promise.all(sent)).filter((each) => each !== undefined).length, 1);
});

test("a message waits for an image that the panel still scales, and goes by itself", async () => {
	const { session, attachments, drafts, sender, kept, told, paste, say } = await setUp();
	const picture = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
	const snapshot = { kind: "image", label: "cat.png", text: "", picture } as const;
	const attached = attachments.attachAll([async () => snapshot]);
	const sent = say("Look");
	await settle();
	assert.deepEqual([session.entries, drafts.of("chat").text], [[], "Look"]);
	const { key, type } = told[0] as { readonly key: string; readonly type: string };
	assert.equal(type, "picked-image");
	void paste({ key, data: Buffer.from(picture).toString("base64") });
	kept.resolve(IMAGE);
	assert.equal((await attached).length, 1);
	await settle();
	const [turn] = session.entries;
	assert.ok(turn?.role === "user");
	assert.deepEqual([turn.attachments.map(({ kind }) => kind), turn.text], [["image"], "Look"]);
	assert.equal(drafts.of("chat").text, "");
	sender.last.end({ outcome: "complete" });
	await sent;
});

test("a message whose image is refused is a draft again", async () => {
	const { session, told, kept, paste, say } = await setUp();
	const pasted = paste();
	const sent = say("Look");
	kept.reject(new ClientError("messages", "invalid", "Too large"));
	await assert.rejects(pasted, /Too large/);
	assert.equal(await sent, undefined);
	assert.equal(await say(" "), undefined);
	assert.deepEqual([session.entries, told], [[], [{ type: "draft", text: "Look" }, { type: "focus" }]]);
});

test("a yes to a conversation's cost limit is none to those of its connection", async (context) => {
	context.mock.timers.enable({ apis: ["Date"], now: new Date(2026, 10, 28, 12) });
	const { session, sender } = await setUp();
	const allow = "Allow for This Conversation";
	const answers = [undefined, undefined, allow, undefined, allow, allow];
	const asked: unknown[] = [];
	fakeVscode({
		workspace: { getConfiguration: () => ({ get: () => 1 }) },
		window: {
			showWarningMessage: async (words: string, { modal }: { modal: boolean }) => {
				asked.push(words, modal);
				return answers.shift();
			},
		},
	});
	const sending = session.send("go");
	await settle();
	const silent = { id: null, model: null, role: null, stopReason: null, stopSequence: null };
	sender.last.take({ kind: "message_delta", changes: { ...silent, inputTokens: 2_000_000, outputTokens: 0 } });
	await sender.answer("Done.");
	await sending;
	const prices = () => ({ default: { input: 1, output: 1, currency: "EUR" } });
	const room = { models: { prices } } as unknown as Pick<ChatRoom, "models">;
	const over = (period: string) => {
		const facts = { reason: "over-budget", field: `a.limits.${period}` } as const;
		return new ClientError("messages", "forbidden", `Limit of a ${period}.`, facts);
	};
	const may = (more?: ClientError) => mayCost(session, room, more);
	const day = over("day");
	assert.deepEqual([await may(), await may(day), await may(), await may(day)], [false, false, true, false]);
	assert.deepEqual([await may(day), await may(day), await may(over("month"))], [true, true, true]);
	context.mock.timers.setTime(new Date(2026, 10, 29, 12).getTime());
	assert.deepEqual([await may(), await may(day)], [true, false]);
	const words = "This conversation has cost about 2.00 EUR; your limit is 1 EUR.";
	const own = `${words} Send anyway?`;
	// Both in one question.
	const [daily, monthly] = ["Limit of a day. Send anyway?", "Limit of a month. Send anyway?"];
	const all = [own, `${words} ${daily}`, own, daily, daily, monthly, daily];
	assert.deepEqual(
		asked,
		all.flatMap((question) => [question, true]),
	);
});

test("a message sent now goes with its attachments before the queue", async () => {
	const { session, drafts, sender, say } = await setUp();
	void say("one");
	await settle();
	await say("two");
	drafts.attach("chat", { id: "a1", ...FILE });
	const sent = say("three", true);
	await settle();
	await settle();
	const [, stopped, turn] = session.entries;
	assert.ok(turn?.role === "user" && stopped?.role === "assistant");
	assert.deepEqual([stopped.ended?.outcome, turn.text, turn.attachments.length], ["stopped", "three", 1]);
	assert.deepEqual([session.queue.map(({ text }) => text), drafts.of("chat").attachments], [["two"], []]);
	await sender.answer();
	await sent;
	await sender.answer();
});

const FILE = { kind: "file", label: "a.ts", text: "let a;", language: "ts" } as const;

test("a message over the budget is a draft again unless confirmed", async () => {
	const long = "word ".repeat(100_000);
	const refused = await setUp({ showWarningMessage: async () => undefined });
	assert.equal(await refused.say(long), undefined);
	assert.deepEqual([refused.session.entries, refused.told], [[], [{ type: "draft", text: long }]]);
	const answer = Promise.withResolvers<string>();
	const { session, drafts, sender, say } = await setUp({ showWarningMessage: () => answer.promise });
	const sent = say(long);
	await settle();
	drafts.attach("chat", { id: "a1", ...FILE });
	answer.resolve("Send Anyway");
	await sender.answer();
	await sent;
	const [turn] = session.entries;
	assert.ok(turn?.role === "user");
	assert.deepEqual([turn.attachments.length, drafts.of("chat").attachments.length], [0, 1]);
});

test("a message is a draft again if another window takes over during the question", async () => {
	const answer = Promise.withResolvers<string>();
	const { session, told, say } = await setUp({ showWarningMessage: () => answer.promise });
	const long = "word ".repeat(100_000);
	const sent = say(long, true);
	await settle();
	session.setReadOnly(true);
	answer.resolve("Send Anyway");
	await sent;
	assert.deepEqual([session.entries, told], [[], [{ type: "draft", text: long }]]);
});

test("a message whose attachment fails stays where it was written", async () => {
	const { conversations, attachments, drafts, told, say } = await setUp();
	const file = Promise.withResolvers<typeof FILE>();
	const attaching = attachments.attachAll([() => file.promise]);
	const sent = say("Review this");
	await settle();
	conversations.active = new ChatSession("other", chatParts().parts);
	file.reject(new Error("gone"));
	await assert.rejects(attaching, /gone/);
	await sent;
	assert.deepEqual([drafts.of("chat").text, drafts.of("other").text, told], ["Review this", "", []]);
});

test("a message waits for what is being attached, then goes or is queued", async () => {
	const { session, attachments, drafts, sender, say } = await setUp();
	void say("Hello");
	await settle();
	const file = Promise.withResolvers<typeof FILE>();
	const attaching = attachments.attachAll([() => file.promise]);
	const sent = say("Review this");
	await settle();
	assert.deepEqual([session.queue, drafts.of("chat").text], [[], "Review this"]);
	file.resolve(FILE);
	await attaching;
	await sent;
	assert.deepEqual(
		session.queue.map(({ text, attachments }) => [text, attachments?.map(({ label }) => label)]),
		[["Review this", ["a.ts"]]],
	);
	assert.deepEqual(drafts.of("chat").attachments, []);
	await sender.answer();
});

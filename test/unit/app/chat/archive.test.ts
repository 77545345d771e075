import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamEvent } from "#api/messages/events.ts";
import { ConversationArchive, type Files } from "#app/chat/archive.ts";
import { Conversations } from "#app/chat/conversations.ts";
import { ClientError } from "#base/errors.ts";
import { Redactor } from "#base/redaction.ts";
import { chatParts } from "../../../support/chat-parts.ts";

/** A folder in memory; the file written last comes first. */
class MemoryFiles implements Files {
	readonly files = new Map<string, string>();
	writes = 0;

	async list(): Promise<readonly string[]> {
		return [...this.files.keys()].reverse();
	}

	async read(name: string): Promise<string> {
		return this.files.get(name) ?? "";
	}

	async write(name: string, text: string): Promise<void> {
		await settle();
		this.writes++;
		this.files.delete(name);
		this.files.set(name, text);
	}
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const delta = (text: string): StreamEvent => ({ kind: "content_block_delta", index: 0, blockType: "text", text });

async function setUp(files = new MemoryFiles()) {
	const all = chatParts();
	all.clock.randomValues = Array.from({ length: 50 }, (_, n) => (n + 1) / 100);
	await all.registry.add(
		{ service: "messages", label: "A", baseUrl: "https://a.example", profile: "custom" },
		undefined,
	);
	const redactor = new Redactor();
	redactor.register("the-key-of-a");
	const archive = new ConversationArchive({
		files,
		clock: all.clock,
		log: all.log,
		redact: (value) => redactor.redactAll(value),
	});
	const conversations = new Conversations({ ...all.parts, save: (session) => archive.save(session) }, (session) =>
		archive.follow(session),
	);
	return { ...all, files, archive, conversations, redactor };
}

/** A new window over the same files. */
async function reopened(files: MemoryFiles) {
	const next = await setUp(files);
	next.conversations.restore(await next.archive.restore());
	return next;
}

test("the person's turn is on the disk before its request leaves", async () => {
	const { conversations, files, sender } = await setUp();
	const reply = conversations.active.send("precious words");
	while (sender.replies.length === 0) await settle();
	assert.match([...files.files.values()].join(), /precious words/);
	sender.last.end({ outcome: "complete" });
	await reply;
});

test("a reply cut off by the end of the window comes back as interrupted with what was saved of it", async () => {
	const { conversations, files, sender, clock } = await setUp();
	void conversations.active.send("hello");
	while (sender.replies.length === 0) await settle();
	sender.last.take(delta("half an "));
	clock.advance(250);
	await settle();
	await settle();
	sender.last.take(delta("answer"));
	const { conversations: next } = await reopened(files);
	const [turn, reply] = next.active.entries;
	assert.deepEqual(turn?.role === "user" && turn.text, "hello");
	assert.ok(reply?.role === "assistant");
	assert.equal(reply.reply?.blocks[0]?.text, "half an ");
	assert.equal(reply.reply?.blocks[0]?.open, false);
	assert.equal(reply.ended?.outcome, "interrupted");
	assert.equal(next.active.busy, false);
});

test("an ended reply comes back as it was, durations, usage and error included", async () => {
	const { conversations, files, sender, clock } = await setUp();
	clock.advance(5_000);
	const pending = conversations.active.send("hello");
	while (sender.replies.length === 0) await settle();
	clock.advance(100);
	sender.last.take(delta("text"));
	clock.advance(900);
	sender.last.end({
		outcome: "failed",
		error: new ClientError("messages", "overloaded", "busy", { status: 529, requestId: "r" }),
	});
	const before = await pending;
	await settle();
	await settle();
	const reply = (await reopened(files)).conversations.active.entries[1];
	assert.ok(reply?.role === "assistant" && reply.ended !== undefined);
	assert.equal((reply.firstTextAt ?? 0) - reply.startedAt, 100);
	assert.equal(reply.ended.at - reply.startedAt, 1_000);
	assert.equal(reply.ended.requests, before.ended?.requests);
	const { code, message, status, requestId } = reply.ended.error ?? {};
	assert.deepEqual(
		{ code, message, status, requestId },
		{ code: "overloaded", message: "busy", status: 529, requestId: "r" },
	);
});

test("a conversation goes on after it came back, under ids of its own", async () => {
	const { conversations, files, sender } = await setUp();
	const first = conversations.active.send("one");
	while (sender.replies.length === 0) await settle();
	sender.last.take(delta("answer"));
	sender.last.end({ outcome: "complete" });
	await first;
	await settle();
	await settle();
	const next = await reopened(files);
	const second = next.conversations.active.send("two");
	while (next.sender.replies.length === 0) await settle();
	assert.deepEqual(
		next.sender.last.request.messages.map(({ content }) => content),
		["one", "answer", "two"],
	);
	next.sender.last.end({ outcome: "complete" });
	await second;
	const ids = next.conversations.active.entries.map(({ id }) => id);
	assert.equal(new Set(ids).size, 4);
});

test("a secret that a service repeats does not reach the disk", async () => {
	const { conversations, files, sender } = await setUp();
	const reply = conversations.active.send("hello");
	while (sender.replies.length === 0) await settle();
	sender.last.take(delta("your key is the-key-of-a"));
	sender.last.end({ outcome: "complete" });
	await reply;
	await settle();
	await settle();
	assert.match([...files.files.values()].join(), /your key is \[redacted\]/);
});

test("a key that is a word takes no word from a conversation, and breaks no file", async () => {
	for (const key of ["user", "text", "1234", "ollama"]) {
		const { conversations, files, sender, redactor } = await setUp();
		redactor.register(key);
		const reply = conversations.active.send(`a user of ollama has text 1234`);
		while (sender.replies.length === 0) await settle();
		sender.last.take(delta("text of a user"));
		sender.last.end({ outcome: "complete" });
		await reply;
		await settle();
		await settle();
		const [turn, answer] = (await reopened(files)).conversations.active.entries;
		assert.equal(turn?.role === "user" && turn.text, "a user of ollama has text 1234", key);
		assert.equal(answer?.role === "assistant" && answer.reply?.blocks[0]?.text, "text of a user", key);
	}
});

test("what has come is on the disk once a flush is through, without waiting for its time", async () => {
	const { archive, conversations, files, sender } = await setUp();
	void conversations.active.send("hello");
	while (sender.replies.length === 0) await settle();
	sender.last.take(delta("all that has come"));
	await archive.flush();
	assert.match([...files.files.values()].join(), /all that has come/);
});

test("a file that cannot be read costs only itself and stays where it is", async () => {
	const { conversations, files, sender } = await setUp();
	const reply = conversations.active.send("hello");
	while (sender.replies.length === 0) await settle();
	sender.last.end({ outcome: "complete" });
	await reply;
	await settle();
	await settle();
	files.files.set("broken.json", "{");
	files.files.set("strange.json", '{"v":1,"id":"x","entries":[{"role":"user","id":"1"}]}');
	const next = await reopened(files);
	assert.equal(next.conversations.list().length, 1);
	assert.equal(next.log.lines.filter((line) => line.includes("left untouched")).length, 2);
	assert.equal(files.files.get("broken.json"), "{");
});

test("a stream of deltas is saved at intervals, not once a delta", async () => {
	const { conversations, files, sender, clock } = await setUp();
	const reply = conversations.active.send("hello");
	while (sender.replies.length === 0) await settle();
	const before = files.writes;
	for (let n = 0; n < 1_000; n++) {
		sender.last.take(delta("x"));
		clock.advance(1);
	}
	for (let n = 0; n < 10; n++) await settle();
	assert.ok(files.writes - before <= 4);
	sender.last.end({ outcome: "complete" });
	await reply;
});

test("a name chosen by a caller cannot lead out of the folder", async () => {
	const { conversations, files, sender } = await setUp();
	const reply = conversations.create("../../etc/passwd").send("hello");
	while (sender.replies.length === 0) await settle();
	sender.last.end({ outcome: "complete" });
	await reply;
	assert.ok([...files.files.keys()].every((name) => /^[\w%-]+\.json$/.test(name)));
});

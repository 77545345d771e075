import assert from "node:assert/strict";
import { test } from "node:test";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";

test("of a hundred conversations only a few stay open, and each reopens whole", async (context) => {
	const { conversations, talk, store, clock, until } = await chatWindow(context);
	for (let n = 0; n < 100; n++) {
		const session = conversations.create(`c${n}`);
		conversations.show(session);
		await talk(session, `question ${n}`, `answer ${n}`);
	}
	clock.advance(1_000);
	const open = () => Array.from({ length: 100 }, (_, n) => conversations.get(`c${n}`)).filter(Boolean).length;
	await until(() => open() <= 4);
	assert.ok(conversations.get("c99") !== undefined);
	await store.flush();
	for (const n of [0, 50, 98]) {
		const session = await conversations.open(`c${n}`);
		assert.equal(session?.title, `question ${n}`);
		assert.equal(session?.entries.length, 2);
	}
});

test("a conversation that receives a reply is not evicted", async (context) => {
	const { conversations, sender, until, clock, store } = await chatWindow(context);
	const busy = conversations.create("busy");
	void busy.send("hello");
	await until(() => sender.replies.length > 0);
	const { last } = sender;
	for (let n = 0; n < 10; n++) conversations.show(conversations.create(`c${n}`));
	clock.advance(5_000);
	assert.equal(conversations.get("busy"), busy);
	last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: "late" });
	last.end({ outcome: "complete" });
	await until(() => {
		clock.advance(1_000);
		return !busy.busy;
	});
	for (let n = 10; n < 20; n++) conversations.show(conversations.create(`c${n}`));
	clock.advance(5_000);
	await until(() => conversations.get("busy") === undefined);
	const reply = (await conversations.open("busy"))?.entries[1];
	assert.equal(reply?.role === "assistant" && reply.ended?.outcome, "complete");
	await store.flush();
});

test("a conversation asked for twice at once is opened once", async (context) => {
	const folder = await storageFolder(context);
	const first = await chatWindow(context, { folder });
	await first.talk(first.conversations.create("one"), "hello", "answer");
	await first.store.flush();
	const { conversations } = await chatWindow(context, { folder });
	const [a, b] = await Promise.all([conversations.open("one"), conversations.open("one")]);
	assert.ok(a !== undefined && a === b);
	assert.equal(await conversations.open("nowhere"), undefined);
});

test("a deleted conversation opens only when it is to be restored", async (context) => {
	const folder = await storageFolder(context);
	const first = await chatWindow(context, { folder });
	await first.talk(first.conversations.create("doomed"), "hello", "answer");
	await first.store.change("doomed", { t: "gone", at: 7 });
	first.close();
	const { conversations, store } = await chatWindow(context, { folder });
	assert.equal(await conversations.open("doomed"), undefined);
	assert.deepEqual(await store.list(), []);
	const [looking, back] = [conversations.open("doomed"), conversations.open("doomed", { restore: true })];
	assert.equal((await back)?.entries.length, 2);
	assert.deepEqual(
		(await store.list()).map(({ id }) => id),
		["doomed"],
	);
	assert.equal(await conversations.open("doomed"), await back);
	await looking;
});

test("a new conversation reuses the one on screen while that is empty", async (context) => {
	const { conversations, talk, store } = await chatWindow(context);
	const { active } = conversations;
	assert.equal(conversations.empty(), active);
	store.drafts.set(active.id, { text: "something", attachments: [] });
	assert.notEqual(conversations.empty(), active);
	store.drafts.set(active.id, { text: "", attachments: [] });
	await talk(active, "hello", "answer");
	assert.notEqual(conversations.empty(), active);
});

test("a conversation that cannot be saved just now stays open", async (context) => {
	const { conversations, talk, clock, until, files } = await chatWindow(context);
	files.append = async () => {
		throw new Error("The disk is full");
	};
	for (let n = 0; n < 10; n++) await talk(conversations.create(`c${n}`), `question ${n}`, "answer");
	clock.advance(1_000);
	await until(() => conversations.get("c0") === undefined);
	await until(() => conversations.get("c0") !== undefined);
	assert.equal((await conversations.open("c0"))?.entries.length, 2);
});

test("an ended reply waits for the person, unless they stopped it", async (context) => {
	const { conversations, talk, sender, until } = await chatWindow(context);
	const waiting: [string, boolean][] = [];
	conversations.onDidWait(({ session, asks }) => waiting.push([session.id, asks]));
	await talk(conversations.create("one"), "hello", "answer");
	const stopped = conversations.create("two");
	const before = sender.replies.length;
	const sent = stopped.send("hello");
	await until(() => sender.replies.length > before);
	stopped.stop();
	sender.last.end({ outcome: "stopped" });
	await sent;
	assert.deepEqual(waiting, [["one", false]]);
});

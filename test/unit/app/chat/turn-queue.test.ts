import assert from "node:assert/strict";
import { test } from "node:test";
import { replyText } from "#app/chat/conversation.ts";
import { ChatSession, type SessionParts } from "#app/chat/session.ts";
import type { Outcome } from "#base/reply.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { settle } from "../../../support/scripted-sender.ts";

async function setUp(more: Partial<SessionParts> = {}) {
	const all = chatParts();
	await all.registry.add(MESSAGES, "");
	const session = new ChatSession("chat", { ...all.parts, ...more });
	let told = 0;
	session.onDidChange(({ type }) => {
		if (type === "queue") told++;
	});
	const end = async (outcome: Outcome = "complete") => {
		all.sender.last.end({ outcome });
		await settle();
	};
	const turns = () => session.entries.flatMap((entry) => (entry.role === "user" ? [entry.text] : []));
	return { ...all, session, end, turns, told: () => told };
}

test("queued turns are sent in order, each when the reply before it has ended", async () => {
	const { session, sender, end, turns } = await setUp();
	void session.send("one");
	const two = session.enqueue("two", { parameters: { topK: 2 } });
	session.enqueue("three");
	await settle();
	assert.deepEqual(turns(), ["one"]);
	await end();
	assert.deepEqual(turns(), ["one", "two"]);
	assert.equal(sender.last.request.topK, 2);
	await end("truncated");
	const reply = await two.reply;
	assert.ok(typeof reply === "object");
	assert.equal(reply.ended?.outcome, "truncated");
	assert.deepEqual([turns().length, session.queue.length, session.busy], [3, 0, true]);
	await end("stop-sequence");
	assert.equal(session.busy, false);
});

for (const outcome of ["stopped", "failed", "refused", "interrupted", "stalled"] as const) {
	test(`after a reply that is ${outcome} the queue waits until the person sends`, async () => {
		const { session, end, turns } = await setUp();
		void session.send("one");
		const two = session.enqueue("two");
		const three = session.enqueue("three");
		await settle();
		await end(outcome);
		assert.deepEqual([turns(), session.busy, session.queue.length], [["one"], false, 2]);
		assert.deepEqual([await two.reply, await three.reply], ["reply", "reply"]);
		const sent = session.sendQueued(two.id);
		await settle();
		await end();
		await sent;
		assert.deepEqual(turns(), ["one", "two", "three"]);
	});
}

test("a turn removed from the queue is not sent, and resolves without a reply", async () => {
	const { session, end, turns, told } = await setUp();
	void session.send("one");
	const two = session.enqueue("two");
	session.enqueue("three");
	assert.deepEqual([session.unqueue(two.id), session.unqueue(two.id)], [true, false]);
	assert.equal(await two.reply, undefined);
	assert.equal(told(), 3);
	await settle();
	await end();
	assert.deepEqual(turns(), ["one", "three"]);
});

test("a turn sent now stops the reply, keeps its text and goes before the queue", async () => {
	const { session, sender, end, turns } = await setUp();
	const first = session.send("one");
	session.enqueue("two");
	const { id } = session.enqueue("three");
	await settle();
	sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: "half" });
	const sent = session.sendQueued(id);
	void session.sendQueued(id);
	const stopped = await first;
	await settle();
	assert.deepEqual([stopped.ended?.outcome, replyText(stopped.reply)], ["stopped", "half"]);
	assert.deepEqual([turns(), session.queue.map(({ text }) => text)], [["one", "three"], ["two"]]);
	assert.equal(session.entries[2]?.parent, stopped.id);
	await assert.rejects(session.sendQueued(id), { code: "invalid", field: "queued" });
	await end();
	const reply = await sent;
	assert.deepEqual([typeof reply === "object" && reply.parent, turns().at(-1)], [id, "two"]);
	await end();
});

test("turns sent now within one stop all go, in the order asked", async () => {
	const { session, sender, end, turns } = await setUp();
	const first = session.send("one");
	const [two, three, four] = ["two", "three", "four"].map((text) => session.enqueue(text).id);
	await settle();
	for (const id of [four, two, four]) void session.sendQueued(id ?? "");
	assert.equal((await first).ended?.outcome, "stopped");
	await settle();
	assert.deepEqual([turns(), session.queue.map(({ id }) => id)], [["one", "four", "two"], [three]]);
	// The reply to the one before was stopped before its request.
	assert.equal(sender.replies.length, 2);
	assert.match(JSON.stringify(sender.last.request.messages.at(-1)), /four.*two/);
	await end();
	assert.deepEqual(turns(), ["one", "four", "two", "three"]);
	await end();
});

test("a turn can be sent now before the last request is on its way", async () => {
	const saved = Promise.withResolvers<void>();
	const { session, end, turns } = await setUp({ save: () => saved.promise });
	const first = session.send("one");
	void session.sendQueued(session.enqueue("two").id);
	saved.resolve();
	assert.equal((await first).ended?.outcome, "stopped");
	await settle();
	assert.deepEqual(turns(), ["one", "two"]);
	await end();
});

for (const [what, act] of [
	["Stop", (session: ChatSession) => session.stop()],
	["its removal", (session: ChatSession) => session.unqueue(session.queue[0]?.id ?? "")],
	["another window", (session: ChatSession) => session.setReadOnly(true)],
	["a disk that fails", () => undefined],
] as const) {
	test(`${what} keeps a turn that was just sent now from going`, async () => {
		const fails = what === "a disk that fails";
		const { session, turns } = await setUp(fails ? { save: () => Promise.reject(new Error("full")) } : {});
		const first = session.send("one").catch(() => undefined);
		if (!fails) await settle();
		const { id } = session.enqueue("two");
		session.enqueue("three");
		void session.sendQueued(id);
		act(session);
		await first;
		await settle();
		const left = what === "its removal" ? ["three"] : ["two", "three"];
		assert.deepEqual([turns(), session.busy, session.queue.map(({ text }) => text)], [["one"], false, left]);
	});
}

test("a turn moved up goes before the one ahead of it, and the first one stays", async () => {
	const { session, end, turns, told } = await setUp();
	void session.send("one");
	const [two, , four] = ["two", "three", "four"].map((text) => session.enqueue(text).id);
	for (const id of [four, two, "unknown", four, four]) session.raiseQueued(id ?? "");
	assert.deepEqual([session.queue.map(({ text }) => text), told()], [["four", "two", "three"], 5]);
	await settle();
	await end();
	await end();
	assert.deepEqual(turns(), ["one", "four", "two"]);
	session.dispose();
});

test("a queued turn follows the reply it waited for, whatever version is shown", async () => {
	const { session, end, turns } = await setUp();
	const first = session.send("one");
	await settle();
	await end();
	const again = session.regenerate((await first).id);
	session.enqueue("two");
	await settle();
	session.choose((await first).id);
	await end();
	assert.deepEqual(turns(), ["one", "two"]);
	assert.ok(session.entries.some(({ id }) => id === session.tree.versions(id).ids[1]));
	assert.equal(session.entries[2]?.parent, (await again).id);
	session.dispose();
});

test("a turn queued on another version than the one under way stays on that version", async () => {
	const { session, end, turns } = await setUp();
	const first = session.send("one");
	await settle();
	await end();
	const { id } = await first;
	const again = session.regenerate(id);
	await settle();
	session.choose(id);
	session.enqueue("two");
	session.choose(session.tree.versions(id).ids[1] ?? "");
	await end();
	await again;
	assert.deepEqual(turns(), ["one", "two"]);
	assert.equal(session.entries[2]?.parent, id);
	session.dispose();
});

test("a queue behind a broken-off reply stays on its branch, also when sent by hand", async () => {
	const { session, sender, end, turns } = await setUp();
	const first = session.send("one");
	const two = session.enqueue("two");
	session.enqueue("three");
	await settle();
	sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: "half" });
	await end("stopped");
	const edited = session.edit(session.entries[0]?.id ?? "", "something else");
	await settle();
	await end();
	await edited;
	assert.deepEqual([turns(), session.busy, session.queue.length], [["something else"], false, 2]);
	const sent = session.sendQueued(two.id);
	await settle();
	assert.equal(session.entries[2]?.parent, (await first).id);
	await end();
	await sent;
	assert.deepEqual(turns(), ["one", "two", "three"], "on screen again, with what was queued behind it");
	session.dispose();
});

for (const [what, text] of [
	["half a reply", "half"],
	["a reply of which nothing came", ""],
] as const) {
	test(`a queue goes on behind the reply that is asked for in place of ${what}`, async () => {
		const { session, sender, end, turns } = await setUp();
		const first = session.send("one");
		session.enqueue("two");
		await settle();
		if (text !== "") sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text });
		await end("interrupted");
		const again = session.retry((await first).id);
		await settle();
		await end();
		assert.deepEqual(turns(), ["one", "two"]);
		assert.equal(session.entries[2]?.parent, (await again).id);
		session.dispose();
	});
}

test("a restored queue waits for the person, and drops turns lost on disk", async () => {
	const { session, parts, sender } = await setUp();
	void session.send("one");
	const two = session.enqueue("two", { parameters: { topK: 2 } });
	const three = session.enqueue("three");
	const turn = { id: two.id, text: "two", parameters: { topK: 2 } };
	const saved = { entries: [], chosen: [], facts: { queue: [turn] } };
	const next = new ChatSession("chat", parts, saved);
	assert.deepEqual([next.queue.map(({ text }) => text), next.busy], [["two"], false]);
	session.follow(saved);
	assert.deepEqual(
		session.queue.map(({ id, reply }) => [id, reply]),
		[[two.id, two.reply]],
	);
	assert.equal(await three.reply, undefined);
	const sent = next.sendQueued(two.id);
	await settle();
	assert.equal(sender.last.request.topK, 2);
	sender.last.end({ outcome: "complete" });
	await sent;
	assert.deepEqual([next.facts, next.queue], [{}, []]);
	assert.equal(next.entries[0]?.id, two.id);
	session.dispose();
	assert.equal(await two.reply, undefined);
});

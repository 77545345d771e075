import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { entryText } from "#app/chat/conversation.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { chatWindow, storageFolder, twoWindows } from "../../../support/chat-window.ts";
import { textDelta as delta } from "../../../support/scripted-sender.ts";

const textsOf = ({ entries }: Pick<ChatSession, "entries">) => entries.map(entryText);

/** Two windows: in one a reply is under way, and the other has the conversation open. */
async function setUp(context: TestContext) {
	const windows = await twoWindows(context, delta("half"));
	const { other } = windows;
	const outcome = () => {
		const last = other.entries.at(-1);
		return last?.role === "assistant" ? (last.ended?.outcome ?? "under way") : undefined;
	};
	return { ...windows, outcome };
}

test("a window follows live what another one writes, and changes nothing of it", async (context) => {
	const { a, b, session, other, reply, outcome } = await setUp(context);
	assert.deepEqual([other.isReadOnly, outcome()], [true, "under way"]);
	const refused = { code: "invalid", field: "conversation" } as const;
	await assert.rejects(other.send("mine"), refused);
	for (const change of [() => other.setFacts({ title: "Mine" }), () => other.enqueue("mine")]) {
		assert.throws(change, refused);
	}
	a.sender.last.take(delta(" and half"));
	await a.store.flush();
	await b.until(() => textsOf(other).at(-1) === "half and half");
	session.enqueue("later");
	session.setFacts({ title: "Named" });
	a.sender.last.end({ outcome: "stopped" });
	await reply;
	await a.store.flush();
	await b.until(() => outcome() === "stopped");
	assert.deepEqual([other.title, other.queue.map(({ text }) => text)], ["Named", ["later"]]);
	assert.equal(b.sender.replies.length, 0);
});

test("Continue Here takes over a conversation and keeps the stopped reply", async (context) => {
	const { a, b, session, other, reply, outcome } = await setUp(context);
	let isHere = false;
	void b.store.continueHere(other).then(() => {
		isHere = true;
	});
	await a.until(() => session.isReadOnly);
	assert.equal((await reply).ended?.outcome, "stopped");
	await a.store.flush();
	await b.until(() => isHere);
	assert.deepEqual([other.isReadOnly, outcome(), textsOf(other).at(-1)], [false, "stopped", "half"]);
	await b.talk(other, "three", "third");
	await b.store.flush();
	await a.until(() => textsOf(session).at(-1) === "third");
	assert.deepEqual(textsOf(session), textsOf(other));
	await assert.rejects(session.send("four"), { code: "invalid" });
});

test("a crashed window leaves an interrupted reply, its queue and a free lease", async (context) => {
	const { a, b, session, other, outcome } = await setUp(context);
	session.enqueue("later");
	await a.store.flush();
	a.close();
	await b.until(() => outcome() === "interrupted");
	assert.deepEqual([textsOf(other).at(-1), other.isReadOnly], ["half", false]);
	assert.deepEqual(
		other.queue.map(({ text }) => text),
		["later"],
	);
	await b.talk(other, "three", "third");
	assert.ok(textsOf(other).includes("third"));
});

test("a reply under way when its window closes is interrupted, not stopped", async (context) => {
	const { a, b, session, reply, outcome } = await setUp(context);
	a.sender.last.take(delta(" and half"));
	// One write is under way, and another waits for it.
	const written = Promise.all([a.store.flush(), a.store.flush()]);
	session.dispose();
	a.store.dispose();
	assert.equal((await reply).ended?.outcome, "stopped");
	await written;
	a.close();
	await b.until(() => outcome() !== "under way");
	assert.equal(outcome(), "interrupted");
});

test("a lease without a heartbeat is free, even if another process has its number", async (context) => {
	const { b, other } = await setUp(context);
	for (let n = 0; n < 12; n++) {
		b.clock.advance(3_000);
		await b.store.flush();
	}
	await b.until(() => !other.isReadOnly);
});

test("a closed conversation can be written in another window", async (context) => {
	const folder = await storageFolder(context);
	const alive = new Set<number>();
	const [a, b] = [await chatWindow(context, { folder, alive }), await chatWindow(context, { folder, alive })];
	await a.talk(a.conversations.create("one"), "hello", "answer");
	const other = (await b.conversations.open("one")) ?? assert.fail("it is not there");
	assert.equal(other.isReadOnly, true);
	await a.store.close(a.conversations.get("one") ?? assert.fail("it is not open"));
	await b.until(() => !other.isReadOnly);
	await b.talk(other, "and this?", "yes");
	assert.deepEqual(textsOf(other), ["hello", "answer", "and this?", "yes"]);
});

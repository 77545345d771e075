import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Fold } from "#app/chat/fold.ts";
import { type JournalRecord, journalLine } from "#app/chat/journal.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";

type Window = Awaited<ReturnType<typeof chatWindow>>;

const ID = "shared";

async function setUp(context: TestContext) {
	const folder = await storageFolder(context);
	const alive = new Set<number>();
	const open = async () => {
		const window = await chatWindow(context, { folder, alive });
		const session = (await window.conversations.open(ID)) ?? window.conversations.create(ID);
		const waits = () => session.queue.map(({ text }) => text);
		return { ...window, session, waits };
	};
	/** Two windows of which one has ended with "later" in its queue. */
	const leave = async () => {
		const first = await open();
		await stopWith(first, "later");
		first.close();
		return [await open(), await open()] as const;
	};
	return { folder, open, leave };
}

/** Stops a reply while something is in the queue: that waits for the person. */
async function stopWith({ session, sender, store, until }: Window & Opened, queued: string) {
	const before = sender.replies.length;
	const reply = session.send("hello");
	await until(() => sender.replies.length > before);
	session.enqueue(queued);
	sender.last.end({ outcome: "stopped" });
	await reply;
	await store.flush();
}

interface Opened {
	readonly session: ReturnType<Window["conversations"]["create"]>;
}

const said = ({ session }: Opened) => session.all.flatMap((each) => (each.role === "user" ? [each.text] : []));

test("what two windows queue in one conversation is there from both when both are gone", async (context) => {
	const { open } = await setUp(context);
	const [a, b] = [await open(), await open()];
	await stopWith(a, "x");
	await stopWith(b, "y");
	for (const { close } of [a, b]) close();
	assert.deepEqual((await open()).waits().toSorted(), ["x", "y"]);
});

test("what waits in a window that is there waits in no other, and in every other once it is gone", async (context) => {
	const { open } = await setUp(context);
	const [a, early] = [await open(), await open()];
	await stopWith(a, "later");
	const late = await open();
	await early.until(() => said(early).length > 0);
	assert.deepEqual([a.waits(), early.waits(), late.waits()], [["later"], [], []]);
	a.close();
	for (const each of [early, late]) await each.until(() => each.waits().length === 1);
});

test("what a window that ended has left is sent by the one the person uses, and is taken out in both", async (context) => {
	const { open, leave } = await setUp(context);
	const [a, b] = await leave();
	assert.deepEqual([a.waits(), b.waits()], [["later"], ["later"]]);
	const [turn] = a.session.queue;
	assert.ok(turn !== undefined);
	const reply = a.session.sendQueued(turn.id);
	await a.until(() => a.sender.replies.length > 0);
	await b.until(() => b.waits().length === 0);
	a.sender.last.end({ outcome: "complete" });
	await reply;
	await a.store.flush();
	assert.deepEqual((await open()).waits(), []);
	await assert.rejects(b.session.sendQueued(turn.id), { code: "invalid", field: "queued" });
});

test("what is sent from the queue in two windows at once is sent by one of them", async (context) => {
	const { leave } = await setUp(context);
	const windows = await leave();
	const [turn] = windows[0].session.queue;
	assert.ok(turn !== undefined);
	const replies = Promise.allSettled(windows.map(({ session }) => session.sendQueued(turn.id)));
	const sent = () => windows.flatMap(({ sender }) => sender.replies);
	await windows[0].until(() => sent().length > 0);
	for (const { store, until, session } of windows) {
		await store.flush();
		await until(() => session.entries.length === 4);
	}
	for (const each of sent()) each.end({ outcome: "complete" });
	assert.deepEqual((await replies).map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
	assert.equal(sent().length, 1);
	for (const each of windows) {
		await each.until(() => !each.session.busy);
		assert.deepEqual(said(each), ["hello", "later"]);
	}
});

test("what is taken out of the queue in one window is out in the other, and stays out", async (context) => {
	const { open, leave } = await setUp(context);
	const [a, b] = await leave();
	assert.equal(a.session.unqueue(a.session.queue[0]?.id ?? ""), true);
	await b.until(() => b.waits().length === 0);
	for (const { close } of [a, b]) close();
	assert.deepEqual((await open()).waits(), []);
});

test("lines of the queue that are written once more bring back nothing, neither what was sent nor what was taken out", () => {
	const records: readonly JournalRecord[] = [
		{ t: "queue", id: "sent", text: "1", at: 1, by: "1.a" },
		{ t: "queue", id: "out", text: "2", at: 1, by: "1.a" },
		{ t: "queue", id: "waits", text: "3", at: 1, by: "1.a" },
		{ t: "unqueue", id: "out" },
		{ t: "turn", id: "sent", parent: null, text: "1", attachments: [], at: 2, by: "1.a" },
		{ t: "turn", id: "sent", parent: null, text: "1", attachments: [], at: 2, by: "2.b" },
	];
	const lines = records.map(journalLine).join("");
	const fold = new Fold().take(Buffer.from(lines + records.slice(0, 3).map(journalLine).join("")));
	assert.deepEqual(
		fold.found().waiting.map(({ id }) => id),
		["waits"],
	);
	assert.equal(fold.saidBy("sent"), "1.a");
	assert.deepEqual(fold.found(), new Fold().take(Buffer.from(lines)).found());
});

test("what waits belongs to the branch it was queued on in the next window too", async (context) => {
	const { open } = await setUp(context);
	const a = await open();
	await stopWith(a, "later");
	const stopped = a.session.entries[1]?.id;
	const edited = a.session.edit(a.session.entries[0]?.id ?? "", "something else");
	await a.until(() => a.sender.replies.length > 1);
	a.sender.last.end({ outcome: "complete" });
	await edited;
	await a.store.flush();
	a.close();
	const b = await open();
	assert.deepEqual(b.waits(), ["later"]);
	void b.session.sendQueued(b.session.queue[0]?.id ?? "");
	await b.until(() => b.sender.replies.length > 0);
	assert.equal(b.session.entries.at(-2)?.parent, stopped);
	b.sender.last.end({ outcome: "complete" });
});

test("what is queued in a conversation that comes from elsewhere waits, and is sent behind what it waits for", async (context) => {
	const { open } = await setUp(context);
	const { store, session, talk, until, sender, conversations } = await open();
	const { id } = await talk(session, "one", "1");
	const queue = [{ id: "q", text: "later", after: id }];
	await store.add("other", { entries: session.all, chosen: [], facts: { queue } });
	const other = await conversations.open("other");
	assert.ok(other !== undefined);
	assert.deepEqual(
		other.queue.map(({ text }) => text),
		["later"],
	);
	const before = sender.replies.length;
	void other.sendQueued("q");
	await until(() => sender.replies.length > before);
	assert.deepEqual(said({ session: other }), ["one", "later"]);
	sender.last.end({ outcome: "complete" });
	await store.flush();
	assert.deepEqual((await store.read("other"))?.waiting, []);
});

/** Another window that has the conversation of the first, in which a reply is under way. */
async function whileAnother(context: TestContext) {
	const { open } = await setUp(context);
	const [a, b] = [await open(), await open()];
	const reply = a.session.send("hello");
	await a.until(() => a.sender.replies.length > 0);
	a.sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: "half of" });
	await a.store.flush();
	await b.until(() => b.session.isAnswering);
	return { a, b, reply };
}

test("what is queued behind a reply under way in another window leaves once that has ended, with the whole of it", async (context) => {
	const { a, b, reply } = await whileAnother(context);
	b.session.enqueue("then");
	await b.store.flush();
	a.sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: " it" });
	await a.store.flush();
	await b.until(() => JSON.stringify(b.session.entries).includes("half of it"));
	assert.deepEqual([b.sender.replies.length, b.waits()], [0, ["then"]]);
	a.sender.last.end({ outcome: "complete" });
	await reply;
	await b.until(() => b.sender.replies.length > 0);
	const texts = b.sender.last.request.messages.map(({ content }) => content);
	assert.deepEqual(texts, ["hello", "half of it", "then"]);
	b.sender.last.end({ outcome: "complete" });
	await b.until(() => !b.session.busy);
	assert.deepEqual(b.waits(), []);
});

test("what is queued behind a reply whose window is gone waits for the person, and whoever waits for it hears so", async (context) => {
	const { a, b } = await whileAnother(context);
	const { reply } = b.session.enqueue("then");
	await b.store.flush();
	a.close();
	await b.until(() => !b.session.isAnswering);
	assert.equal(await reply, "reply");
	assert.deepEqual([b.sender.replies.length, b.waits()], [0, ["then"]]);
});

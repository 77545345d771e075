import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type JournalRecord, journalLine } from "#app/chat/journal.ts";
import { JournalReader } from "#app/chat/journal-reader.ts";
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
	return { open };
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

const said = ({ session }: Opened) => session.tree.all.flatMap((each) => (each.role === "user" ? [each.text] : []));

test("lines of the queue that are written once more bring back nothing, neither what was sent nor what was taken out", () => {
	const records: readonly JournalRecord[] = [
		{ t: "queue", id: "sent", text: "1", at: 1 },
		{ t: "queue", id: "out", text: "2", at: 1 },
		{ t: "queue", id: "waits", text: "3", at: 1 },
		{ t: "unqueue", id: "out" },
		{ t: "turn", id: "sent", parent: null, text: "1", attachments: [], at: 2 },
		{ t: "turn", id: "sent", parent: null, text: "1", attachments: [], at: 2 },
	];
	const lines = records.map(journalLine).join("");
	const reader = new JournalReader().take(Buffer.from(lines + records.slice(0, 3).map(journalLine).join("")));
	assert.deepEqual(
		reader.found().facts.queue?.map(({ id }) => id),
		["waits"],
	);
	assert.deepEqual(reader.found(), new JournalReader().take(Buffer.from(lines)).found());
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
	await store.add("other", { entries: session.tree.all, chosen: [], facts: { queue } });
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
	assert.deepEqual((await store.read("other"))?.facts, {});
});

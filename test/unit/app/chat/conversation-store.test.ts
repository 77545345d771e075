import assert from "node:assert/strict";
import { readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { entryText } from "#app/chat/conversation.ts";
import { fileOf } from "#app/chat/journal-files.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";
import { textDelta as delta } from "../../../support/scripted-sender.ts";

const textsOf = ({ entries }: Pick<ChatSession, "entries">) => entries.map(entryText);

async function setUp(context: TestContext) {
	const folder = await storageFolder(context);
	const alive = new Set<number>();
	const files = join(folder, "conversations");
	const journals = async () => {
		const names = (await readdir(files).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
		return (await Promise.all(names.map((name) => readFile(join(files, name), "utf8")))).join("");
	};
	return { files, journals, open: () => chatWindow(context, { folder, alive }) };
}

test("the person's turn is on the disk before its request leaves", async (context) => {
	const { open, journals } = await setUp(context);
	const { conversations, sender, until } = await open();
	void conversations.active.send("precious words");
	let atRequest = "";
	await until(async () => {
		if (sender.replies.length === 0) return false;
		atRequest = await journals();
		return true;
	});
	assert.match(atRequest, /precious words/);
});

test("a secret that a service repeats does not reach the disk, not even in pieces", async (context) => {
	const { open, journals } = await setUp(context);
	const { conversations, sender, until, store, clock } = await open();
	const pending = conversations.active.send("hello");
	await until(() => sender.replies.length > 0);
	for (const piece of ["your key is the-k", "ey-of", "-a, and the-ke", "nnel is a house"]) {
		sender.last.take(delta(piece));
		clock.advance(250);
		await store.flush();
	}
	sender.last.end({ outcome: "complete" });
	await pending;
	await store.flush();
	assert.doesNotMatch(await journals(), /the-key/);
	const found = await store.read(conversations.active.id);
	assert.deepEqual(found && textsOf(found), ["hello", "your key is the-k[redacted], and the-kennel is a house"]);
});

test("a stream of deltas is appended at intervals, without rewriting the file", async (context) => {
	const { open, journals } = await setUp(context);
	const { conversations, sender, until, clock, store } = await open();
	void conversations.active.send("hello");
	await until(() => sender.replies.length > 0);
	let before = await journals();
	for (let n = 0; n < 1_000; n++) {
		sender.last.take(delta("x"));
		clock.advance(1);
		if (n % 100 !== 0) continue;
		await store.flush();
		const now = await journals();
		assert.ok(now.startsWith(before));
		before = now;
	}
	await store.flush();
	const lines = (await journals()).match(/"t":"text"/g)?.length ?? 0;
	assert.ok(lines >= 8 && lines <= 20, `${lines} lines`);
});

test("a conversation whose journal was removed is written whole with the next turn", async (context) => {
	const { open, files } = await setUp(context);
	const { conversations, talk, store } = await open();
	await talk(conversations.active, "one", "answer");
	await store.flush();
	for (const name of await readdir(files)) await rm(join(files, name));
	await talk(conversations.active, "two", "again");
	await store.flush();
	const found = await store.read(conversations.active.id);
	assert.deepEqual(found && textsOf(found), ["one", "answer", "two", "again"]);
});

test("a journal that another program cuts is written anew from the screen", async (context) => {
	const { open, files, journals } = await setUp(context);
	const { conversations, talk, store, clock, until } = await open();
	const session = conversations.active;
	await talk(session, "one", "answer");
	await store.flush();
	const [name = ""] = (await readdir(files)).filter((each) => each.endsWith(".jsonl"));
	const { length } = await journals();
	await truncate(join(files, name), Math.floor(length / 2));
	await until(async () => {
		clock.advance(3_000);
		return /"t":"end"/.test(await journals());
	});
	assert.deepEqual(textsOf(session), ["one", "answer"]);
	const found = await store.read(session.id);
	assert.deepEqual(found && textsOf(found), ["one", "answer"]);
});

test("a failure to save is reported once, with the next step, until a save succeeds", async (context) => {
	const { open } = await setUp(context);
	const { conversations, talk, store, clock, until, files: disk } = await open();
	const told: string[] = [];
	store.onDidFail((sentence) => told.push(sentence));
	const { append, write } = disk;
	const fill = () => {
		const full = async () => {
			throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
		};
		Object.assign(disk, { append: full, write: full });
	};
	fill();
	await talk(conversations.active, "one", "answer");
	await talk(conversations.create("other"), "two", "answer");
	store.drafts.set("third", { text: "half a thought", attachments: [] });
	await store.flush();
	const sentence =
		"Conversations cannot be saved just now: the disk is full. Export what you need before you close the window.";
	assert.deepEqual(told, [sentence]);
	Object.assign(disk, { append, write });
	clock.advance(5_000);
	await store.flush();
	await until(async () => (await store.read("other"))?.entries.length === 2);
	assert.equal((await store.drafts.read(fileOf("third", ".draft")))?.text, "half a thought");
	assert.equal(told.length, 1);
	fill();
	await talk(conversations.active, "three", "answer");
	await store.flush();
	assert.deepEqual(told, [sentence, sentence]);
});

test("a name chosen by a caller cannot leave the folder, and has its own file", async (context) => {
	const { open, files } = await setUp(context);
	const { conversations, talk, store } = await open();
	const names = ["../../etc/passwd", "index", "Name", "name", "x".repeat(300), `${"x".repeat(300)}y`];
	for (const name of names) await talk(conversations.create(name), name, "yes");
	await store.flush();
	const journals = (await readdir(files)).filter((name) => name.endsWith(".jsonl"));
	assert.ok(journals.every((name) => /^[\w%~-]+\.jsonl$/.test(name)));
	assert.equal(new Set(journals.map((name) => name.toLowerCase())).size, names.length);
	assert.deepEqual((await store.list()).map(({ id }) => id).toSorted(), names.toSorted());
});

test("a list has title, time and last words, pinned first, and reads no file twice", async (context) => {
	const { open, files } = await setUp(context);
	const { conversations, talk, store, clock, files: disk } = await open();
	for (const name of ["one", "two", "three"]) {
		clock.advance(60_000);
		await talk(conversations.create(name), `About ${name}\nand more`, `The answer\nto ${name}`);
	}
	await store.change("one", { t: "facts", pinned: true, title: "My own" });
	const listed = await store.list();
	assert.deepEqual(
		listed.map(({ id, title, snippet, pinned, messages }) => [id, title, snippet, pinned, messages]),
		[
			["one", "My own", "The answer to one", true, 2],
			["three", "About three", "The answer to three", false, 2],
			["two", "About two", "The answer to two", false, 2],
		],
	);
	const read: string[] = [];
	const { pieces: original } = disk;
	disk.pieces = (name, from) => {
		read.push(name);
		return original.call(disk, name, from);
	};
	assert.deepEqual(await store.list(), listed);
	assert.deepEqual(
		read.filter((name) => name !== "index"),
		[],
	);
	const other = await open();
	assert.deepEqual(await other.store.list(), listed);
	await truncate(join(files, "index"), 30);
	assert.deepEqual(await store.list(), listed);
	await rm(join(files, "index"));
	assert.deepEqual(await (await open()).store.list(), listed);
});

test("a deleted conversation can be restored for a day, then goes with its draft", async (context) => {
	const { open, files } = await setUp(context);
	const first = await open();
	await first.talk(first.conversations.create("doomed"), "hello", "answer");
	first.store.drafts.set("doomed", { text: "and", attachments: [] });
	await first.store.flush();
	await first.store.change("doomed", { t: "gone", at: first.clock.now() });
	assert.deepEqual(await first.store.list(), []);
	assert.equal((await first.store.list({ deleted: true })).length, 1);
	await first.store.change("doomed", { t: "gone", at: null });
	assert.equal((await first.store.list()).length, 1);
	await first.store.change("doomed", { t: "gone", at: first.clock.now() });
	first.close();
	const next = await open();
	await next.store.clean();
	assert.equal((await next.store.list({ deleted: true })).length, 1);
	next.clock.advance(25 * 3600_000);
	await next.store.clean();
	assert.equal((await next.store.list({ deleted: true })).length, 0);
	assert.deepEqual(
		(await readdir(files)).filter((name) => name.startsWith("doomed")),
		[],
	);
});

test("a conversation that is deleted in one window is left in the other", async (context) => {
	const { open } = await setUp(context);
	const [a, b] = [await open(), await open()];
	await a.talk(a.conversations.active, "hello", "answer");
	await a.store.flush();
	const { id } = a.conversations.active;
	await b.conversations.open(id);
	const left: string[] = [];
	b.store.onDidDelete((each) => left.push(each));
	await a.store.change(id, { t: "gone", at: a.clock.now() });
	await b.until(() => left.length > 0);
	assert.deepEqual([...new Set(left)], [id]);
});

test("an external change of an open conversation applies at once and keeps local ones", async (context) => {
	const { open } = await setUp(context);
	const { conversations, talk, store } = await open();
	const { active } = conversations;
	await talk(active, "hello", "answer");
	const changing = store.change(active.id, { t: "facts", title: "Theirs" });
	active.setFacts({ pinned: true });
	await changing;
	await store.flush();
	assert.deepEqual(active.facts, { title: "Theirs", pinned: true });
	assert.deepEqual((await store.read(active.id))?.facts, { title: "Theirs", pinned: true });
});

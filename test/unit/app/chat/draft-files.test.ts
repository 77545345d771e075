import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";

const attachment = { id: "1", kind: "file", label: "notes.md", text: "# Notes" } as const;

/** Every draft there is, as it is kept. */
async function onDisk(files: Awaited<ReturnType<typeof chatWindow>>["files"]): Promise<string> {
	const names = (await files.names()).filter((name) => name.endsWith(".draft"));
	const bytes = await Promise.all(names.map((name) => files.read(name)));
	return bytes.map((each) => new TextDecoder().decode(each)).join("\n");
}

/** Windows on one store, each of them running until it is closed. */
async function windowsOf(context: TestContext) {
	const folder = await storageFolder(context);
	const alive = new Set<number>();
	const open = (memory = new MemoryStore()) => chatWindow(context, { folder, alive, memory });
	/** What the next window has in a conversation. */
	const next = async (id = "a") => {
		const { store, close } = await open();
		await store.open(id);
		const { text } = store.draft(id);
		close();
		return text;
	};
	return { folder, open, next };
}

const typed = (text: string) => ({ text, attachments: [] });

test("each conversation has a draft of its own, which is there again in the next window", async (context) => {
	const folder = await storageFolder(context);
	const first = await chatWindow(context, { folder });
	first.store.setDraft("a", { text: "half a thought", attachments: [attachment] });
	first.store.setDraft("b", { text: "another", attachments: [] });
	first.clock.advance(250);
	await first.store.flush();
	first.close();
	const next = await chatWindow(context, { folder });
	for (const id of ["a", "b"]) assert.equal((await next.conversations.open(id))?.entries.length, 0);
	assert.deepEqual(next.store.draft("a"), {
		...next.store.draft("a"),
		text: "half a thought",
		attachments: [attachment],
	});
	assert.equal(next.store.draft("b").text, "another");
	assert.equal(next.store.draft("c").text, "");
});

test("a draft is written at intervals while it is typed, and its file goes when it is sent", async (context) => {
	const folder = await storageFolder(context);
	const { store, clock, until, files } = await chatWindow(context, { folder });
	let writes = 0;
	const { write } = files;
	files.write = async (name, text) => {
		writes += 1;
		await write.call(files, name, text);
	};
	for (let n = 1; n <= 100; n++) {
		store.setDraft("a", { text: "x".repeat(n), attachments: [] });
		clock.advance(5);
	}
	await until(() => writes > 0);
	await store.flush();
	assert.ok(writes <= 6, `${writes} writes`);
	store.setDraft("a", { text: "", attachments: [] });
	await store.flush();
	assert.deepEqual(
		(await readdir(join(folder, "conversations"))).filter((name) => name.endsWith(".draft")),
		[],
	);
});

test("a conversation in which something is only typed is listed as a draft", async (context) => {
	const folder = await storageFolder(context);
	const { store, conversations } = await chatWindow(context, { folder });
	const { active } = conversations;
	assert.equal(conversations.empty(), active);
	store.setDraft(active.id, { text: "half a\nthought", attachments: [] });
	assert.notEqual(conversations.empty(), active);
	await store.flush();
	const [listed] = await store.list();
	assert.deepEqual([listed?.id, listed?.title, listed?.snippet], [active.id, "Draft", "half a thought"]);
});

test("a secret does not reach the disk in a draft", async (context) => {
	const folder = await storageFolder(context);
	const { store, files } = await chatWindow(context, { folder });
	store.setDraft("a", { text: "why does the-key-of-a not work?", attachments: [] });
	await store.flush();
	assert.match(await onDisk(files), /why does \[redacted\] not work/);
});

test("a draft that could not be saved is saved as soon as it can be", async (context) => {
	const { store, clock, files, log } = await chatWindow(context, { folder: await storageFolder(context) });
	const { write } = files;
	files.write = async () => {
		throw new Error("The disk is full");
	};
	store.setDraft("a", { text: "precious", attachments: [] });
	await store.flush();
	assert.ok(log.lines.some((line) => line.includes("could not be saved")));
	files.write = write;
	clock.advance(5_000);
	await store.flush();
	assert.match(await onDisk(files), /precious/);
});

test("what is typed in one window stays on the disk when another has the conversation open and sends", async (context) => {
	const { open, next } = await windowsOf(context);
	const [a, b] = [await open(), await open()];
	a.store.setDraft("a", typed("half a"));
	await a.store.flush();
	await b.store.open("a");
	assert.equal(b.store.draft("a").text, "half a");
	a.store.setDraft("a", typed("half a thought"));
	await a.store.flush();
	b.store.setDraft("a", typed(""));
	await b.store.flush();
	for (const { close } of [a, b]) close();
	assert.equal(await next(), "half a thought");
});

test("what is typed in two windows is there from both: the newest first, the other once that is sent", async (context) => {
	const { open, next } = await windowsOf(context);
	const [a, b] = [await open(), await open()];
	a.store.setDraft("a", typed("mine"));
	await a.store.flush();
	b.clock.advance(1_000);
	b.store.setDraft("a", typed("theirs"));
	await b.store.flush();
	assert.deepEqual(
		(await b.store.list()).map(({ id, snippet }) => [id, snippet]),
		[["a", "theirs"]],
	);
	a.clock.advance(2_000);
	a.store.setDraft("a", typed("mine again"));
	await a.store.flush();
	assert.deepEqual(
		(await b.store.list()).map(({ id, snippet }) => [id, snippet]),
		[["a", "mine again"]],
	);
	for (const { close } of [a, b]) close();
	const c = await open();
	await c.store.open("a");
	assert.equal(c.store.draft("a").text, "mine again");
	c.store.setDraft("a", typed(""));
	await c.store.flush();
	c.close();
	assert.equal(await next(), "theirs");
});

test("a window has its own draft again after a reload, however new that of another is, and the other once that is sent", async (context) => {
	const { open, next } = await windowsOf(context);
	const [mine, theirs] = [new MemoryStore(), new MemoryStore()];
	const [a, b] = [await open(mine), await open(theirs)];
	a.store.setDraft("a", typed("mine"));
	await a.store.flush();
	b.clock.advance(1_000);
	b.store.setDraft("a", typed("theirs"));
	await b.store.flush();
	const reloaded = async (memory: MemoryStore) => {
		const window = await open(memory);
		await window.store.open("a");
		return window;
	};
	// The run before may take a moment to end.
	const early = await reloaded(mine);
	assert.equal(early.store.draft("a").text, "mine");
	for (const { close } of [early, a, b]) close();
	// One in which the conversation was not opened.
	(await open(mine)).close();
	const again = [await reloaded(mine), await reloaded(theirs)] as const;
	assert.deepEqual(
		again.map(({ store }) => store.draft("a").text),
		["mine", "theirs"],
	);
	again[0].store.setDraft("a", typed(""));
	await again[0].store.flush();
	for (const { close } of again) close();
	assert.equal(await next(), "theirs");
});

test("what a window that ended has left comes before what is being typed in one that is there", async (context) => {
	const { open, next } = await windowsOf(context);
	const [a, b] = [await open(), await open()];
	a.store.setDraft("a", typed("left"));
	await a.store.flush();
	a.close();
	b.clock.advance(1_000);
	b.store.setDraft("a", typed("being typed"));
	await b.store.flush();
	assert.equal(await next(), "left");
});

test("what a window that ended has left is taken over: once it is sent it never comes back", async (context) => {
	const { open, next, folder } = await windowsOf(context);
	await (await open()).files.write("b.draft", "{}");
	const old = { id: "a", at: 1, text: "half a", attachments: [] };
	await writeFile(join(folder, "conversations", "a.draft"), JSON.stringify(old));
	const a = await open();
	await a.store.open("a");
	assert.equal(a.store.draft("a").text, "half a");
	a.store.setDraft("a", typed("half a thought"));
	await a.store.flush();
	// The next window comes up before this one has ended.
	const b = await open();
	await b.store.open("a");
	a.close();
	assert.equal(b.store.draft("a").text, "half a thought");
	b.store.setDraft("a", typed(""));
	await b.store.flush();
	b.close();
	assert.equal(await next(), "");
});

test("what a window wrote after another had read it is kept, though that one sends what it read", async (context) => {
	const { open, next } = await windowsOf(context);
	const [a, b] = [await open(), await open()];
	a.store.setDraft("a", typed("half a"));
	await a.store.flush();
	await b.store.open("a");
	a.clock.advance(1_000);
	a.store.setDraft("a", typed("half a thought"));
	await a.store.flush();
	a.close();
	b.store.setDraft("a", typed(""));
	await b.store.flush();
	b.close();
	assert.equal(await next(), "half a thought");
});

test("what is typed in place of turns is on the disk a moment later, and each window has its own again", async (context) => {
	const { folder, open } = await windowsOf(context);
	// Two windows of a browser on one folder remember in the same place.
	const memory = new MemoryStore();
	const edited = (text: string) => ({ text: "", attachments: [], edits: [{ message: "t1", text }] });
	const [a, b] = [await open(memory), await open(memory)];
	a.store.setDraft("a", edited("mine"));
	b.store.setDraft("a", edited("theirs, the-key-of-a"));
	for (const { clock, store } of [a, b]) {
		clock.advance(250);
		await store.flush();
	}
	b.clock.advance(1_000);
	assert.doesNotMatch(await onDisk(a.files), /the-key-of-a/);
	a.close();
	const again = await open(memory);
	await again.store.open("a");
	assert.deepEqual(again.store.draft("a"), edited("mine"));
	again.store.setDraft("a", { text: "", attachments: [] });
	await again.store.flush();
	again.close();
	b.close();
	const last = await chatWindow(context, { folder });
	await last.store.open("a");
	assert.deepEqual(last.store.draft("a"), edited("theirs, [redacted]"));
});

test("a draft that two windows restore stays in both, whatever one of them does with it", async (context) => {
	const { open, next } = await windowsOf(context);
	const before = await open();
	before.store.setDraft("a", typed("half a thought"));
	await before.store.flush();
	before.close();
	const [a, b] = [await open(), await open()];
	await a.store.open("a");
	await b.store.open("a");
	await a.store.flush();
	await b.store.flush();
	a.store.setDraft("a", typed(""));
	await a.store.flush();
	for (const { close } of [a, b]) close();
	assert.equal(await next(), "half a thought");
});

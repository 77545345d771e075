import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";

const attachment = { id: "1", kind: "file", label: "notes.md", text: "# Notes" } as const;

test("each conversation has its own draft, which the next window finds again", async (context) => {
	const folder = await storageFolder(context);
	const first = await chatWindow(context, { folder });
	first.store.drafts.set("a", { text: "half a thought", attachments: [attachment] });
	first.store.drafts.set("b", { text: "another", attachments: [] });
	first.clock.advance(250);
	await first.store.flush();
	first.close();
	const next = await chatWindow(context, { folder });
	for (const id of ["a", "b"]) assert.equal((await next.conversations.open(id))?.entries.length, 0);
	assert.deepEqual(next.store.drafts.of("a"), {
		...next.store.drafts.of("a"),
		text: "half a thought",
		attachments: [attachment],
	});
	assert.equal(next.store.drafts.of("b").text, "another");
	assert.equal(next.store.drafts.of("c").text, "");
});

test("a draft is written at intervals while typed, and its file goes when it is sent", async (context) => {
	const { folder, store, clock, until, files } = await chatWindow(context);
	let writes = 0;
	const { write } = files;
	files.write = async (name, text) => {
		writes += 1;
		await write.call(files, name, text);
	};
	for (let n = 1; n <= 100; n++) {
		store.drafts.set("a", { text: "x".repeat(n), attachments: [] });
		clock.advance(5);
	}
	await until(() => writes > 0);
	await store.flush();
	assert.ok(writes <= 6, `${writes} writes`);
	store.drafts.set("a", { text: "", attachments: [] });
	await store.flush();
	assert.deepEqual(
		(await readdir(join(folder, "conversations"))).filter((name) => name.endsWith(".draft")),
		[],
	);
});

test("a conversation in which something is only typed is listed as a draft", async (context) => {
	const { store, conversations } = await chatWindow(context);
	const { active } = conversations;
	assert.equal(conversations.empty(), active);
	store.drafts.set(active.id, { text: "half a\nthought", attachments: [] });
	assert.notEqual(conversations.empty(), active);
	await store.flush();
	const [listed] = await store.list();
	assert.deepEqual([listed?.id, listed?.title, listed?.snippet], [active.id, "Draft", "half a thought"]);
});

test("of two windows the last write of a draft wins, with its edits of turns", async (context) => {
	const folder = await storageFolder(context);
	const [a, b] = [await chatWindow(context, { folder }), await chatWindow(context, { folder })];
	a.store.drafts.set("a", { text: "mine", attachments: [] });
	await a.store.flush();
	const theirs = { text: "theirs", attachments: [], edits: [{ message: "t1", text: "better, the-key-of-a" }] };
	b.store.drafts.set("a", theirs);
	await b.store.flush();
	const next = await chatWindow(context, { folder });
	await next.store.open("a");
	assert.deepEqual(next.store.drafts.of("a"), { ...theirs, edits: [{ message: "t1", text: "better, [redacted]" }] });
});

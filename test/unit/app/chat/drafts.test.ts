import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Attachment, pastedText } from "#app/chat/attachments.ts";
import { chatParts } from "../../../support/chat-parts.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";

const file = (id: string, text = "x"): Attachment => ({ id, kind: "file", label: "a.ts", text });

test("each conversation has its own draft, with attachments until they are taken", () => {
	const { drafts } = chatParts();
	drafts.write("one", "half a");
	drafts.write("two", "other");
	drafts.attach("one", file("a1"));
	drafts.write("one", "half a thought");
	assert.deepEqual(drafts.take("one", [file("a1")]), { attachments: [file("a1")] });
	assert.deepEqual(drafts.of("one"), { text: "half a thought", attachments: [] });
	assert.equal(drafts.of("two").text, "other");
});

test("a later attachment stays in the draft, and a removed one is not taken", () => {
	const { drafts } = chatParts();
	drafts.attach("one", file("a1", "first"));
	drafts.attach("one", file("a2", "second"));
	const asked = drafts.of("one").attachments;
	drafts.attach("one", file("a3", "third"));
	drafts.detach("one", "a1");
	assert.deepEqual(drafts.take("one", asked).attachments, [file("a2", "second")]);
	assert.deepEqual(drafts.of("one").attachments, [file("a3", "third")]);
});

test("a pasted text can be changed until it is sent, and its label gives its length", () => {
	const { drafts } = chatParts();
	drafts.attach("one", { id: "p1", ...pastedText("a\nb\n") });
	assert.equal(drafts.of("one").attachments[0]?.label, "Pasted text, 2 lines");
	assert.equal(drafts.change("one", "p1", pastedText("c")), true);
	const changed = { id: "p1", kind: "text", label: "Pasted text, 1 line", text: "c" } as const;
	assert.deepEqual(drafts.take("one", [changed]).attachments, [changed]);
	assert.equal(drafts.change("one", "p1", pastedText("late")), false);
	assert.deepEqual(drafts.of("one").attachments, []);
});

test("edits of turns are kept beside the draft, the last ones if there are many", () => {
	const { drafts } = chatParts();
	drafts.write("one", "half a");
	drafts.edit("one", "t1", "better");
	drafts.edit("one", "t2", "other");
	drafts.edit("one", "t1", "better still");
	drafts.write("one", "half a thought");
	drafts.attach("one", file("a1"));
	drafts.take("one", [file("a1")]);
	drafts.detach("one", "a1");
	const edits = [
		{ message: "t2", text: "other" },
		{ message: "t1", text: "better still" },
	];
	assert.deepEqual(drafts.of("one"), { text: "half a thought", attachments: [], edits });
	drafts.edit("one", "t2", null);
	drafts.edit("one", "t1", null);
	assert.deepEqual(drafts.of("one"), { text: "half a thought", attachments: [] });
	for (let n = 0; n < 30; n++) drafts.edit("one", `t${n}`, "x");
	assert.deepEqual([drafts.of("one").edits?.length, drafts.of("one").edits?.at(-1)?.message], [20, "t29"]);
});

test("the same thing is attached once, and again when it has changed", () => {
	const { drafts } = chatParts();
	drafts.attach("one", file("a1"));
	assert.equal(drafts.attach("one", file("a2")).id, "a1");
	drafts.attach("one", file("a3", "y"));
	assert.deepEqual(
		drafts.of("one").attachments.map(({ id }) => id),
		["a1", "a3"],
	);
});

test("a change of the attachments is announced, one of the text is not", () => {
	const { drafts } = chatParts();
	const told: string[] = [];
	drafts.onDidChange((id) => told.push(id));
	drafts.write("one", "text");
	assert.deepEqual(told, []);
	drafts.attach("one", file("a1"));
	drafts.detach("one", "a1");
	assert.deepEqual(told, ["one", "one"]);
});

test("a change of the text names its writer, and an equal text announces nothing", () => {
	const { drafts } = chatParts();
	const told: unknown[] = [];
	drafts.onDidWrite((written) => told.push(written));
	const by = {};
	drafts.write("one", "text", by);
	drafts.write("one", "text");
	drafts.attach("one", file("a1"));
	drafts.take("one", [file("a1")]);
	drafts.write("one", "");
	assert.deepEqual(told, [
		{ conversation: "one", text: "text", by },
		{ conversation: "one", text: "", by: undefined },
	]);
	assert.equal((told[0] as { by: unknown }).by, by);
});

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

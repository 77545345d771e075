import assert from "node:assert/strict";
import { mkdir, open, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Branches } from "#app/chat/branches.ts";
import { replyText } from "#app/chat/conversation.ts";
import { exportJson, importJson } from "#app/chat/export-conversation.ts";
import { type JournalRecord, journalLine, STORED_VERSION } from "#app/chat/journal.ts";
import { fileOf, INDEX } from "#app/chat/journal-files.ts";
import { search } from "#app/chat/search.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";

const UNREADABLE = "Conversation that cannot be read";

/** More than fits into one text of the engine. */
const ENDLESS_BYTES = 540 * 1024 * 1024;

const turn = (id: string, text: string) =>
	journalLine({ t: "turn", id, parent: null, text, attachments: [], at: 1 } satisfies JournalRecord);
const begin = (id: string) => journalLine({ t: "begin", v: 2, id, at: 1 });

async function setUp(context: TestContext, journals: Readonly<Record<string, string>>) {
	const folder = await storageFolder(context);
	const files = join(folder, "conversations");
	await mkdir(files);
	for (const [id, lines] of Object.entries(journals)) await writeFile(join(files, `${id}.jsonl`), lines);
	const window = await chatWindow(context, { folder });
	const listed = async () => (await window.store.list()).map(({ id, title }) => [id, title]).sort();
	return { ...window, path: (id: string) => join(files, `${id}.jsonl`), listed };
}

/** Does with a conversation all that the history offers. */
async function useAll(id: string, { store, files, conversations }: Awaited<ReturnType<typeof setUp>>) {
	await store.change(id, { t: "facts", title: "Renamed" });
	const found = await store.read(id);
	assert.ok(found !== undefined);
	const exported = importJson(exportJson({ ...found, title: "", path: new Branches(found).path }));
	assert.deepEqual(
		exported.entries.map((entry) => entry.id),
		found.entries.map((entry) => entry.id),
	);
	assert.equal((await conversations.open(id))?.title, "Renamed");
	const places: string[] = [];
	for await (const { conversation } of search("needle", await store.list(), files)) {
		places.push(conversation.id);
	}
	await store.change(id, { t: "gone", at: 1 });
	assert.deepEqual(
		(await store.list({ deleted: true })).map(({ title }) => title),
		["Renamed"],
	);
	return places.sort();
}

test("one odd line costs no list, and its conversation is used as far as it goes", async (context) => {
	const odd = `${begin("odd")}{"t":"facts","title":5}\n${turn("t", "Odd needle")}`;
	const window = await setUp(context, { odd, fine: begin("fine") + turn("t", "Fine needle") });
	assert.deepEqual(await window.listed(), [
		["fine", "Fine needle"],
		["odd", "Odd needle"],
	]);
	assert.deepEqual(await useAll("odd", window), ["fine", "odd"]);
	assert.deepEqual(await window.listed(), [["fine", "Fine needle"]]);
	assert.ok(window.log.lines.includes("warn Lines of odd.jsonl that could not be read: 1"));
});

test("stored data of another version is not read and stays, but for the index", async (context) => {
	const v = STORED_VERSION + 1;
	const other = journalLine({ t: "begin", v, id: "other", at: 1 }) + turn("t", "Other");
	const fine = begin("fine") + turn("t", "Fine");
	const { files, store, conversations, path, listed } = await setUp(context, { other, fine });
	const line = { id: "fine", title: "Stale", pinned: false, snippet: "", at: 1, messages: 1, name: "fine" };
	await files.write(INDEX, JSON.stringify({ v, lines: [{ ...line, size: fine.length }] }));
	const draft = JSON.stringify({ v, id: "drafted", at: 1, text: "Half a thought" });
	await files.write(fileOf("drafted", ".draft"), draft);
	assert.deepEqual(await listed(), [
		["fine", "Fine"],
		["other", UNREADABLE],
	]);
	await assert.rejects(conversations.open("other"), { code: "invalid", field: "conversation" });
	assert.equal(await conversations.open("drafted"), undefined);
	await store.clean();
	await store.flush();
	assert.equal(await readFile(path("other"), "utf8"), other);
	assert.equal(String(Buffer.from(await files.read(fileOf("drafted", ".draft")))), draft);
});

test("a journal that has lost its first line is the one its file is named for", async (context) => {
	const window = await setUp(context, { "~65b~126": `{"t":"begin","v":2\n${turn("t", "Whose needle?")}` });
	assert.deepEqual(await window.listed(), [["Ab~", "Whose needle?"]]);
	assert.deepEqual(await useAll("Ab~", window), ["Ab~"]);
});

test("a copy of a journal that a sync program made opens as itself", async (context) => {
	const names = ["fine (conflicted copy)", "fine.sync-conflict-20261128-AB", "fine 2%zz", "FINE"];
	const copies = names.map((name) => [name, begin("fine") + turn("t", `Needle of ${name}`)]);
	const window = await setUp(context, { fine: begin("fine") + turn("t", "Mine"), ...Object.fromEntries(copies) });
	const ids = names.map((name) => `file:${name}`);
	assert.deepEqual((await window.listed()).map(([id]) => id).sort(), ["fine", ...ids].sort());
	assert.equal((await window.conversations.open("fine"))?.title, "Mine");
	for (const [at, name] of names.entries()) {
		assert.equal((await window.conversations.open(ids[at] ?? ""))?.title, `Needle of ${name}`);
		await window.store.change(ids[at] ?? "", { t: "facts", title: `Renamed ${at}` });
		assert.match(await readFile(window.path(name), "utf8"), new RegExp(`Renamed ${at}`));
	}
	assert.ok(!(await readFile(window.path("fine"), "utf8")).includes("Renamed"));
});

test("what cannot be read is a row that opens with its reason, and can be deleted", async (context) => {
	const damaged = "\u0000\u0001 encrypted\nanother line\n";
	const others = {
		nothing: "\u0000".repeat(4_096),
		torn: begin("torn").slice(0, 12),
		cut: `${begin("cut")}\u0000`,
		list: "[]",
	};
	const all = { damaged, ...others };
	const window = await setUp(context, { ...all, fine: begin("fine") + turn("t", "Fine"), empty: "\n" });
	const rows = Object.keys(all).map((id) => [id, UNREADABLE]);
	assert.deepEqual(await window.listed(), [...rows, ["fine", "Fine"]].sort());
	for (const id of Object.keys(all)) {
		await assert.rejects(window.conversations.open(id), { code: "invalid", field: "conversation" });
		await window.store.discard(id);
	}
	assert.deepEqual(await window.listed(), [["fine", "Fine"]]);
});

test("a journal whose line feeds something has changed is read as before", async (context) => {
	const window = await setUp(context, { fine: (begin("fine") + turn("t", "Fine")).replaceAll("\n", "\r\n") });
	assert.deepEqual(await window.listed(), [["fine", "Fine"]]);
});

test("a journal too large for memory is used as far as it goes, and costs no other", async (context) => {
	const window = await setUp(context, { large: begin("large") + turn("t", "Large needle"), fine: turn("t", "Fine") });
	// A hole, which takes no room on the disk: an endless line.
	await truncate(window.path("large"), ENDLESS_BYTES);
	const file = await open(window.path("large"), "a");
	await file.write(`\n${turn("u", "Behind it")}`);
	await file.close();
	assert.ok((await stat(window.path("large"))).size > ENDLESS_BYTES);
	const before = process.memoryUsage().rss;
	assert.deepEqual(await window.listed(), [
		["fine", "Fine"],
		["large", "Behind it"],
	]);
	const found = await window.store.read("large");
	assert.deepEqual(
		found?.entries.map(({ id }) => id),
		["t", "u"],
	);
	// Other test files may share the process.
	assert.ok(process.memoryUsage().rss - before < ENDLESS_BYTES);
});

test("an endless reply is read only up to the limit of a reply", async (context) => {
	const asked = { continues: false, connectionId: "a", connection: "A", model: "m", parameters: {}, at: 1 } as const;
	const piece = "x".repeat(1024 * 1024);
	const texts = Array.from({ length: 20 }, (_, n) =>
		journalLine({ t: "text", reply: "r", key: "0", index: 0, type: "text", at: n * piece.length, text: piece }),
	);
	const reply = journalLine({ t: "reply", id: "r", parent: "t", ...asked });
	const { store } = await setUp(context, { endless: turn("t", "Go") + reply + texts.join("") });
	const [, entry] = (await store.read("endless"))?.entries ?? [];
	assert.equal(entry?.role === "assistant" && replyText(entry.reply).length, 16 * 1024 * 1024);
});

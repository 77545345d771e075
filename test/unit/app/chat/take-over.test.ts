import assert from "node:assert/strict";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { replyText } from "#app/chat/conversation.ts";
import { takeOver } from "#app/chat/take-over.ts";
import { OldConversationFiles } from "#editor/chat/old-conversation-files.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";
import { oldConversation, oldReply } from "../../../support/old-conversation.ts";

async function setUp(context: TestContext) {
	const [old, folder] = [await storageFolder(context), await storageFolder(context)];
	await mkdir(join(old, "conversations"));
	const put = async (name: string, text: string, at: number) => {
		await writeFile(join(old, "conversations", name), text);
		await utimes(join(old, "conversations", name), at, at);
	};
	const left = () => readdir(join(old, "conversations"));
	const open = async () => {
		const window = await chatWindow(context, { folder });
		return { ...window, take: () => takeOver(new OldConversationFiles(old), window) };
	};
	return { put, left, open, folder };
}

const turn = (id: string, text: string) => ({ role: "user", id, text });

async function textsIn({ store }: Awaited<ReturnType<typeof chatWindow>>, id: string) {
	const found = await store.read(id);
	return found?.entries.map((entry) => (entry.role === "user" ? entry.text : replyText(entry.reply)));
}

test("conversations of the first format are taken over once, whole, with the time of their last change", async (context) => {
	const { put, left, open } = await setUp(context);
	await put("a.json", oldConversation("a", [turn("a-1", "old"), oldReply("a-2", "older")]), 1_000);
	await put("b.json", oldConversation("b", [turn("b-1", "new"), oldReply("b-2", "newer")]), 2_000);
	const window = await open();
	assert.equal(await window.take(), "b");
	assert.deepEqual(await left(), []);
	assert.deepEqual(await textsIn(window, "a"), ["old", "older"]);
	assert.deepEqual(
		(await window.store.list()).map(({ id, at }) => [id, at]),
		[
			["b", 2_000_000],
			["a", 1_000_000],
		],
	);
	assert.equal(await window.take(), undefined);
});

test("a file that cannot be read stays where it is and costs only itself; a torn write beside one is nothing", async (context) => {
	const { put, left, open } = await setUp(context);
	await put("a.json", oldConversation("a", [turn("a-1", "kept")]), 1_000);
	await put("a.json.new", '{"v":1,"id":"a","ent', 1_001);
	await put("broken.json", "{", 1_002);
	const window = await open();
	await window.take();
	assert.deepEqual(await left(), ["broken.json"]);
	assert.deepEqual(await textsIn(window, "a"), ["kept"]);
	assert.equal(window.log.lines.filter((line) => line.includes("left untouched")).length, 1);
});

test("a whole write beside the file it was to replace counts", async (context) => {
	const { put, left, open } = await setUp(context);
	await put("a.json", oldConversation("a", [turn("a-1", "kept")]), 1_000);
	await put("a.json.new", oldConversation("a", [turn("a-1", "kept"), oldReply("a-2", "too")]), 1_001);
	const window = await open();
	await window.take();
	assert.deepEqual(await left(), []);
	assert.deepEqual(await textsIn(window, "a"), ["kept", "too"]);
});

test("two windows that take over at once, and one that was cut off at it, leave each conversation whole", async (context) => {
	const { put, left, open, folder } = await setUp(context);
	const text = oldConversation("a", [turn("a-1", "one"), oldReply("a-2", "two"), turn("a-3", "three")]);
	await put("a.json", text, 1_000);
	const [first, second] = [await open(), await open()];
	await Promise.all([first.take(), second.take()]);
	assert.deepEqual(await textsIn(first, "a"), ["one", "two", "three"]);
	const journal = await readFile(join(folder, "conversations", "a.jsonl"));
	for (const length of [0, 20, 100, 300, 500, journal.length - 40]) {
		await put("a.json", text, 1_000);
		await writeFile(join(folder, "conversations", "a.jsonl"), journal.subarray(0, length));
		await first.take();
		assert.deepEqual((await textsIn(first, "a"))?.toSorted(), ["one", "three", "two"], String(length));
		assert.deepEqual(await left(), []);
	}
});

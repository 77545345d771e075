import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";

async function storage(context: TestContext) {
	const path = await mkdtemp(join(tmpdir(), "switchboard-files-"));
	context.after(() => rm(path, { recursive: true, force: true }));
	return { path, folder: join(path, "conversations"), files: new ConversationFiles(path) };
}

test("a storage that is not there yet holds nothing", async (context) => {
	const { files } = await storage(context);
	assert.deepEqual(await files.list(), []);
});

test("at no moment of a write is the file gone or half", async (context) => {
	const { files } = await storage(context);
	const text = (at: number) => JSON.stringify({ at, filling: "x".repeat(200_000) });
	await files.write("a.json", text(0));
	let writing = true;
	const writes = (async () => {
		for (let at = 1; at <= 50; at++) await files.write("a.json", text(at));
		writing = false;
	})();
	let reads = 0;
	for (let last = 0; writing; reads++) {
		const { at } = JSON.parse(await files.read("a.json")) as { at: number };
		assert.ok(at >= last);
		last = at;
	}
	await writes;
	assert.ok(reads > 10);
});

test("the file that was written last comes first", async (context) => {
	const { files, folder } = await storage(context);
	await files.write("new.json", "{}");
	await files.write("old.json", "{}");
	await utimes(join(folder, "old.json"), 1, 1);
	assert.deepEqual(await files.list(), ["new.json", "old.json"]);
});

test("a write that was cut off counts where it is whole, and is cleared away where it is torn", async (context) => {
	const { files, folder } = await storage(context);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, "a.json"), '{"old": true}');
	await writeFile(join(folder, "a.json.new"), '{"new": true}');
	await writeFile(join(folder, "b.json"), '{"old": true}');
	await writeFile(join(folder, "b.json.new"), '{"new": tr');
	assert.deepEqual((await files.list()).toSorted(), ["a.json", "b.json"]);
	assert.equal(await files.read("a.json"), '{"new": true}');
	assert.equal(await files.read("b.json"), '{"old": true}');
	assert.deepEqual((await readdir(folder)).toSorted(), ["a.json", "b.json"]);
});

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { storageFolder } from "../../../support/chat-window.ts";
import { until } from "../../../support/until.ts";

async function setUp(context: TestContext) {
	const path = await storageFolder(context);
	return { folder: join(path, "conversations"), files: new ConversationFiles(path) };
}

test("a storage that is not there yet holds nothing", async (context) => {
	const { files } = await setUp(context);
	assert.deepEqual(await files.list(), []);
	assert.equal(await files.size("a.jsonl"), 0);
	await files.remove("a.jsonl");
});

test("appended text follows the existing text, and its size is returned", async (context) => {
	const { files } = await setUp(context);
	assert.deepEqual(await files.append("a.jsonl", "ä\n", { sync: true }), { wrote: 3, size: 3 });
	assert.deepEqual(await files.append("a.jsonl", "b\n"), { wrote: 2, size: 5 });
	assert.equal(new TextDecoder().decode(await files.read("a.jsonl")), "ä\nb\n");
	for await (const piece of files.pieces("a.jsonl", 3)) assert.equal(new TextDecoder().decode(piece), "b\n");
	for await (const _ of files.pieces("b.jsonl")) assert.fail("a file that is not there has no bytes");
	const [{ at, ...facts } = assert.fail()] = await files.list();
	assert.deepEqual(facts, { name: "a.jsonl", size: 5 });
	assert.ok(Math.abs(at - Date.now()) < 60_000);
});

test("at no moment of a write is the file gone or half, though two write at once", async (context) => {
	const { files, folder } = await setUp(context);
	const text = (at: number) => JSON.stringify({ at, filling: "x".repeat(200_000) });
	await files.write("a.draft", text(0));
	let writing = true;
	const writes = (async () => {
		for (let at = 1; at <= 50; at++) await files.write("a.draft", text(at));
		writing = false;
	})();
	let reads = 0;
	for (let last = 0; writing; reads++) {
		const { at } = JSON.parse(new TextDecoder().decode(await files.read("a.draft"))) as { at: number };
		assert.ok(at >= last);
		last = at;
	}
	await writes;
	assert.ok(reads > 10);
	assert.deepEqual(await readdir(folder), ["a.draft"]);
});

test("a change by another process is reported by name, and a partial write is not", async (context) => {
	const { files, folder } = await setUp(context);
	await mkdir(folder, { recursive: true });
	const heard = new Set<string>();
	const watching = files.watch((name) => heard.add(name));
	context.after(() => watching.dispose());
	await until(async () => {
		await writeFile(join(folder, "a.jsonl"), String(Math.random()));
		return heard.has("a.jsonl");
	}, "the journal of another process");
	await files.write("b.draft", "{}");
	await until(async () => heard.has("b.draft"), "the draft of another process");
	assert.deepEqual(
		[...heard].filter((name) => name.endsWith(".new")),
		[],
	);
});

test("a process is running until it has ended", async (context) => {
	const { files } = await setUp(context);
	const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
	const { pid = 0 } = child;
	assert.equal(files.isRunning(pid), true);
	child.kill("SIGKILL");
	await new Promise((resolve) => child.once("exit", resolve));
	assert.equal(files.isRunning(pid), false);
});

test("files of conversations are for the person's own eyes", {
	skip: process.platform === "win32",
}, async (context) => {
	const { files, folder } = await setUp(context);
	await files.append("a.jsonl", "a\n");
	await files.write("a.draft", "{}");
	const { stat } = await import("node:fs/promises");
	for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name);
	assert.equal(await readFile(join(folder, "a.jsonl"), "utf8"), "a\n");
});

test("an unreadable folder is not taken for an empty one, and says the next step", async (context) => {
	const { files, folder } = await setUp(context);
	await writeFile(folder, "a file in its place");
	await assert.rejects(files.list(), (error: Error) => {
		assert.equal(error.message, `The chat history cannot be read (ENOTDIR). Check its folder, then retry: ${folder}`);
		return true;
	});
});

test("an append that fits only in part says that the disk is full", {
	skip: process.platform === "win32" && "there is no ulimit",
}, async (context) => {
	const folder = await storageFolder(context);
	const file = JSON.stringify(
		pathToFileURL(join(import.meta.dirname, "../../../../src/editor/chat/conversation-files.ts")),
	);
	const script = `import { ConversationFiles } from ${file};
		await new ConversationFiles(${JSON.stringify(folder)}).append("a.jsonl", "x".repeat(9_000)).catch(({ code }) => console.log(code));`;
	const command = `ulimit -f 8 && exec "$0" --input-type=module-typescript --eval "$1"`;
	const { stdout } = await promisify(execFile)("bash", ["-c", command, process.execPath, script], {
		cwd: import.meta.dirname,
	});
	assert.equal(stdout.trim(), "ENOSPC");
});

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { LineReader, readLine } from "#app/chat/journal.ts";
import { LIMITS } from "#base/limits.ts";
import { chatWindow } from "../../../support/chat-window.ts";
import { textDelta as delta } from "../../../support/scripted-sender.ts";

/** What arrives or is typed is on the disk at most so much later. Milliseconds. */
const LATEST_MS = 250;

test("replies and typed text are on disk within 250 ms, also while more comes", async (context) => {
	const { folder, store, conversations, sender, until, clock } = await chatWindow(context);
	const onDisk = async () => {
		const files = join(folder, "conversations");
		const names = await readdir(files);
		return (await Promise.all(names.map((name) => readFile(join(files, name), "utf8").catch(() => "")))).join("\n");
	};
	const pending = conversations.active.send("hello");
	await until(() => sender.replies.length > 0);
	await store.flush();
	for (let ms = 0; ms < LATEST_MS; ms += 50) {
		sender.last.take(delta(`arrived-${ms} `));
		store.drafts.set("a", { text: `typed-${ms}`, attachments: [] });
		clock.advance(50);
	}
	// The disk has its own time, and the clock stands still meanwhile.
	for (const deadline = Date.now() + 2_000; Date.now() < deadline; await delay(5)) {
		if (/arrived-0 /.test(await onDisk()) && /typed-\d/.test(await onDisk())) break;
	}
	assert.match(await onDisk(), /arrived-0 /);
	assert.match(await onDisk(), /typed-\d/);
	sender.last.end({ outcome: "complete" });
	await pending;
});

test("lines are whole however a file is chunked, and only an overlong one is lost", () => {
	const tooLong = "x".repeat(LIMITS.journalLineBytes + 1);
	const bytes = Buffer.from(`\nfirst \u00fc\n\n${tooLong}\nlast \ud83d\ude00\nto`);
	for (const size of [1, 2, 3, 7, 64].map((each) => (each < 64 ? each : 2 ** 20))) {
		const some = size < 64 ? Buffer.concat([bytes.subarray(0, 20), bytes.subarray(-14)]) : bytes;
		const reader = new LineReader();
		const lines: string[] = [];
		for (let at = 0; at < some.length; at += size) lines.push(...reader.take(some.subarray(at, at + size)));
		assert.equal(lines[0], "first \u00fc");
		assert.ok(lines.at(-1)?.endsWith("last \ud83d\ude00"));
		assert.deepEqual([reader.read, reader.take(Buffer.from("rn\n"))], [some.length, ["torn"]]);
	}
	const turn = { t: "turn", id: "t", parent: null, attachments: [], at: 1 } as const;
	assert.equal(readLine(JSON.stringify({ ...turn, text: "x" }))?.t, "turn");
	assert.equal(readLine(JSON.stringify({ ...turn, text: tooLong })), undefined);
});

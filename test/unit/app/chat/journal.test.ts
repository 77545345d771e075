import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { StreamEvent } from "#api/messages/events.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";

/** What arrives or is typed is on the disk at most so much later. Milliseconds. */
const LATEST_MS = 250;

const delta = (text: string): StreamEvent => ({ kind: "content_block_delta", index: 0, blockType: "text", text });

test("what arrives and what is typed is on the disk at most 250 ms later, also while more comes", async (context) => {
	const folder = await storageFolder(context);
	const { store, conversations, sender, until, clock } = await chatWindow(context, { folder });
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
		store.setDraft("a", { text: `typed-${ms}`, attachments: [] });
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

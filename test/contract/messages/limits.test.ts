import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { LIMITS } from "#base/limits.ts";
import type { Outcome } from "#base/reply.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type Replay, reply, sse } from "../../support/replay-server.ts";
import { clientAt, delta, hello, replayServer, STOP } from "./client-at.ts";

/** What an attack may take: the time of a slow machine, and a fraction of what ends the extension host. */
const timeout = 60_000;
const MOST_HEAP = 400 * 1024 * 1024;

const server = replayServer();

const event = (type: string, more: object) => sse({ type, ...more });
const streamed = { "content-type": "text/event-stream" };

/** Takes in a reply to its end, by which its socket is closed and the heap has not grown beyond its bound. */
async function received(replay: Replay) {
	const { baseUrl, requests } = server.play({ after: "stay", ...replay });
	// The process has run other files before.
	const before = process.memoryUsage().heapUsed;
	let heap = 0;
	const gauge = setInterval(() => {
		heap = Math.max(heap, process.memoryUsage().heapUsed - before);
	}, 20);
	const ended = await clientAt(baseUrl, { maxAttempts: 1 }).send(hello);
	clearInterval(gauge);
	await requests[0]?.closed;
	assert.ok(heap < MOST_HEAP, `${heap} bytes of heap`);
	const text = ended.reply.blocks.map((block) => block.text).join("");
	return { ...ended, text };
}

test("an engine that holds its headers for nine minutes to load a model is waited for", async () => {
	const ends: [number, number, Outcome][] = [
		[LIMITS.localFirstByteMs, 540_000, "complete"],
		[LIMITS.localFirstByteMs, 600_000, "stalled"],
		[LIMITS.cloudFirstByteMs, 59_000, "complete"],
		[LIMITS.cloudFirstByteMs, 60_000, "stalled"],
	];
	for (const [firstByteMs, loadsMs, outcome] of ends) {
		const clock = new FakeClock();
		const { promise: held, resolve: release } = Promise.withResolvers<void>();
		const { baseUrl, requests } = server.play({ bytes: reply(delta("hi") + STOP), held });
		const sending = clientAt(baseUrl, { clock, firstByteMs, silenceLimitMs: 1_000 }).send(hello);
		while (requests.length === 0) await wait(1);
		clock.advance(loadsMs);
		release();
		const { error, ...ended } = await sending;
		assert.deepEqual([ended.outcome, ended.requests], [outcome, 1]);
		if (error !== undefined) assert.match(error.message, new RegExp(`for ${firstByteMs / 1_000} s`));
	}
});

for (const [what, limits, bytes, again] of [
	["interim replies", { firstByteMs: 2_000 }, "", "HTTP/1.1 102 Processing\r\n\r\n"],
	["unreadable events", { silenceLimitMs: 2_000 }, reply(delta("kept"), { headers: streamed }), "data: {\n\n"],
	[
		"events of no known shape",
		{ silenceLimitMs: 2_000 },
		reply(delta("kept"), { headers: streamed }),
		sse({ type: "message_start" }),
	],
] as const) {
	test(`endless ${what} end by the limit of time`, { timeout }, async () => {
		const { baseUrl, requests } = server.play({ bytes: Buffer.from(bytes), again: Buffer.from(again), pauseMs: 50 });
		const ended = await clientAt(baseUrl, { ...limits, maxAttempts: 1 }).send(hello);
		await requests[0]?.closed;
		assert.deepEqual([ended.outcome, ended.error?.code], ["stalled", "stalled"]);
	});
}

test("a reply keeps 1,000 of its blocks and notes that there were more", { timeout }, async () => {
	const blocks = Array.from({ length: 40_000 }, (_, at) => ({ type: "text", text: `${at},` }));
	const starts = [...blocks, ...blocks].map((content_block, index) =>
		event("content_block_start", { index, content_block }),
	);
	for (const body of [
		JSON.stringify({ type: "message", content: blocks, stop_reason: "end_turn" }),
		event("message_start", { message: { content: blocks } }) + STOP,
		event("message_stop", { message: { content: blocks } }),
		starts.join("") + STOP,
	] as const) {
		const { outcome, reply: got, text } = await received({ bytes: reply(body), after: "close" });
		assert.deepEqual([outcome, got.blocks.length, got.notes.unknown.length], ["complete", 1_000, 1]);
		assert.ok(text.endsWith(",998,999,"));
	}
});

test("a reply without end has failed after 16 MB, with its text kept", { timeout }, async () => {
	const again = Buffer.from(delta("a word ".repeat(1_000)).repeat(10));
	const { outcome, error, text } = await received({ bytes: reply(""), again });
	assert.deepEqual([outcome, error?.code, error?.field], ["failed", "malformed", "content"]);
	assert.match(error?.message ?? "", /larger than 16 MB/);
	assert.ok(text.length > LIMITS.replyBytes - 1024 * 1024 && text.length < LIMITS.replyBytes + 1024 * 1024);
});

test("bytes that are no text of a reply count against its limit, too", { timeout }, async () => {
	const kilobyte = "x".repeat(1_024);
	for (const piece of [`: ${kilobyte}\n`, `data: {${kilobyte}\n\n`, `id: ${kilobyte}\n`, "\n", kilobyte]) {
		const again = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
		const { outcome, error, text } = await received({ bytes: reply(delta("kept")), again });
		assert.deepEqual([outcome, error?.code, text], ["failed", "malformed", "kept"], piece);
	}
});

test("the envelopes of deltas do not count toward the size limit of a reply", { timeout }, async () => {
	const plain = delta("w").repeat(100_000);
	const spaced = delta("w").replace("data: {", "data: { ").repeat(100_000);
	const { outcome, text } = await received({ bytes: reply(plain + spaced + STOP), after: "close" });
	assert.ok(plain.length + spaced.length > LIMITS.replyBytes);
	assert.deepEqual([outcome, text.length], ["complete", 200_000]);
});

test("a body that is no message ends at the limit of a reply, too", { timeout }, async () => {
	const html = Buffer.from(`<p>${"nothing of a message ".repeat(5_000)}`);
	const blanks = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
	const packed = reply("", { headers: { ...streamed, "content-encoding": "gzip" } });
	for (const replay of [
		{ bytes: reply("<!DOCTYPE html>"), again: html },
		{ bytes: reply("", { headers: streamed }), again: Buffer.alloc(65_536, " ") },
		{ bytes: packed, again: blanks },
	]) {
		const { outcome, error } = await received(replay);
		assert.deepEqual([outcome, error?.code], ["failed", "malformed"]);
		assert.match(error?.message ?? "", /larger than 16 MB/);
	}
});

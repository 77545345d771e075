import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { EndedReply } from "#api/messages/model.ts";
import { messageRecordings, type Recording } from "../../support/replay-server.ts";
import { clientAt, hello, replayServer } from "./client-at.ts";

/** How each recording ends when all of it arrives. */
const OUTCOMES: Readonly<Record<string, string>> = {
	"comment-keepalive-before-start": "truncated",
	"error-mid-stream-unwrapped": "failed server",
	"http-400-prompt-too-long": "failed invalid",
	"http-401-wrong-key": "failed unauthorized",
	"http-500-malformed-request": "failed server",
	"http-503-loading": "failed overloaded",
	"no-content-blocks": "complete",
	"plain-message": "truncated",
	"stop-sequence-reported-as-end-turn": "stop-sequence",
	"text-truncated": "truncated",
	"thinking-and-text-overlapping-blocks": "truncated",
};

/** Cuts at the same time; more of them gain nothing. */
const ABREAST = 64;

const server = replayServer();

const recordings = messageRecordings();

test("every recording has an outcome to be held to", () => {
	assert.deepEqual(recordings.map(({ name }) => name).sort(), Object.keys(OUTCOMES).sort());
});

for (const recording of recordings) {
	const oracle = readIndependently(recording);
	for (const piece of [recording.bytes.length, 7, 1]) {
		test(`${recording.name} in pieces of ${piece} bytes keeps every character and ends as recorded`, async () => {
			const ended = await receive({ bytes: recording.bytes, piece });
			assert.equal(outcomeAndCode(ended), OUTCOMES[recording.name]);
			assert.deepEqual(textsOf(ended), oracle.textsBefore(Number.POSITIVE_INFINITY));
			assert.deepEqual({ ...ended.reply.notes, unknown: [] }, { unknown: [], malformed: 0, late: 0 });
			assert.ok(ended.reply.blocks.every((block) => !block.open));
		});
	}

	test(`${recording.name} cut at every byte loses no event, invents no text and no end`, {
		timeout: 600_000,
	}, async () => {
		const all = oracle.textsBefore(Number.POSITIVE_INFINITY);
		await inParallel(recording.bytes.length, async (at) => {
			const ended = await receive({ bytes: recording.bytes.subarray(0, at) });
			const where = `cut at byte ${at}`;
			const texts = textsOf(ended);
			for (const [index, text] of Object.entries(texts)) {
				assert.ok(all[index]?.startsWith(text), `${where}: the text of block ${index} is a part of the whole`);
			}
			for (const [index, text] of Object.entries(oracle.textsBefore(at))) {
				assert.ok(texts[index]?.startsWith(text), `${where}: block ${index} has every event that arrived`);
			}
			if (at >= oracle.decidedAt) assert.equal(outcomeAndCode(ended), OUTCOMES[recording.name], where);
			else assert.match(outcomeAndCode(ended), /^(interrupted interrupted|failed network)$/, where);
		});
	});
}

async function receive(replay: { bytes: Uint8Array; piece?: number }): Promise<EndedReply> {
	const { baseUrl, requests } = server.play(replay);
	const ended = await clientAt(baseUrl, { maxAttempts: 1, silenceLimitMs: 20_000 }).send(hello);
	assert.equal(requests.length, 1);
	server.forget(baseUrl);
	return ended;
}

async function inParallel(count: number, run: (at: number) => Promise<void>): Promise<void> {
	let next = 0;
	const lane = async () => {
		while (next < count) await run(next++);
	};
	await Promise.all(Array.from({ length: ABREAST }, lane));
}

function outcomeAndCode({ outcome, error }: EndedReply): string {
	return error === undefined ? outcome : `${outcome} ${error.code}`;
}

function textsOf({ reply }: EndedReply): Record<string, string> {
	const texts: Record<string, string> = {};
	for (const { index, text } of reply.blocks) texts[index] = (texts[index] ?? "") + text;
	return texts;
}

/**
 * What a recording says, found with nothing of the client's: chunk sizes by hand, events by their blank lines, and for
 * each the number of raw bytes after which it has arrived.
 */
function readIndependently({ bytes }: Recording) {
	const raw = Buffer.from(bytes).toString("latin1");
	const headEnd = raw.indexOf("\r\n\r\n") + 4;
	const isChunked = /transfer-encoding: chunked/i.test(raw.slice(0, headEnd));
	/** For every character of the body, the number of raw bytes up to and including it. */
	const arrival: number[] = [];
	let body = "";
	let at = headEnd;
	while (at < raw.length) {
		const lineEnd = isChunked ? raw.indexOf("\r\n", at) + 2 : at;
		const size = isChunked ? Number.parseInt(raw.slice(at, lineEnd), 16) : raw.length - at;
		for (let offset = 0; offset < size; offset++) arrival.push(lineEnd + offset + 1);
		body += raw.slice(lineEnd, lineEnd + size);
		at = lineEnd + size + 2;
	}
	const deltas: { at: number; index: number; text: string }[] = [];
	// A failed status is decided by its head; anything else by the event or the JSON that ends it.
	let decidedAt = raw.startsWith("HTTP/1.1 200") ? Number.POSITIVE_INFINITY : headEnd;
	for (const match of body.matchAll(/^data: (.*)$/gm)) {
		const data = JSON.parse(Buffer.from(match[1] ?? "", "latin1").toString("utf8"));
		const dataEnd = arrival[match.index + match[0].length - 1] ?? 0;
		const eventEnd = arrival[match.index + match[0].length + 1] ?? 0;
		const text = data.delta?.text ?? data.delta?.thinking;
		if (text !== undefined) deltas.push({ at: eventEnd, index: data.index, text });
		else if (data.type === "content_block_start") deltas.push({ at: eventEnd, index: data.index, text: "" });
		if (data.type === "message_stop" || data.code !== undefined) decidedAt = dataEnd;
	}
	if (raw.startsWith("HTTP/1.1 200") && body.startsWith("{")) {
		decidedAt = raw.length;
		for (const [index, block] of JSON.parse(body).content.entries())
			deltas.push({ at: decidedAt, index, text: block.text });
	}
	return {
		decidedAt,
		textsBefore(limit: number): Record<string, string> {
			const texts: Record<string, string> = {};
			for (const { at: end, index, text } of deltas) if (end <= limit) texts[index] = (texts[index] ?? "") + text;
			return texts;
		},
	};
}

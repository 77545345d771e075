import { strict as assert } from "node:assert";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { RequestNotice } from "#api/http/notice.ts";
import type { MessagesRequest, ReplyObserver } from "#api/messages/model.ts";
import { probeMessages } from "#api/messages/probe.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type Replay, reply, sse } from "../../support/replay-server.ts";
import { clientAt, delta, hello, KEY, profile, replayServer, transport } from "./client-at.ts";

const server = replayServer();

const STREAM = delta("h\u00e9llo") + delta(" again") + sse({ type: "message_stop" });
const refusal = (status: string): Replay => ({ bytes: reply(`{"error":{"message":"${KEY} is no good"}}`, { status }) });

/** Sends a request; the clock moves on by a second as the first event comes, and past each wait for another try. */
async function told(replies: readonly Replay[], { request = hello, stopAt = false, ...heard }: Telling = {}) {
	const clock = new FakeClock();
	const notices: RequestNotice[] = [];
	const { baseUrl, requests } = server.play(...replies);
	const stop = new AbortController();
	const ended = await clientAt(baseUrl, { clock, notices }).send(request, {
		signal: stop.signal,
		observer: {
			...heard,
			onRetry: ({ inMs }) => setImmediate(() => clock.advance(inMs)),
			onFirstByte: () => {
				clock.advance(1_000);
				if (stopAt) stop.abort();
			},
		},
	});
	return { ended, notices, requests, baseUrl };
}

interface Telling extends ReplyObserver {
	readonly request?: MessagesRequest;
	/** Stops the reply at its first event. */
	readonly stopAt?: boolean;
}

test("a streamed reply has one notice, at its end, with all bytes and its duration", async () => {
	const { notices, requests, baseUrl } = await told([{ bytes: reply(STREAM), piece: 7 }]);
	const sent = requests[0]?.body ?? "";
	assert.deepEqual(notices, [
		{
			service: "messages",
			method: "POST",
			url: `${baseUrl}/v1/messages`,
			headers: {
				"content-type": "application/json",
				accept: "text/event-stream, application/json",
				"service-version": "2023-06-01",
				"x-api-key": "{key}",
			},
			body: sent,
			isExact: true,
			status: 200,
			ms: 1_000,
			attempt: 1,
			sentBytes: Buffer.byteLength(sent),
			receivedBytes: Buffer.byteLength(STREAM),
		},
	]);
});

test("bytes are counted as they read decoded", async () => {
	const packed = gzipSync(STREAM).toString("latin1");
	const head = Buffer.from("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-encoding: gzip\r\n\r\n");
	const { notices } = await told([{ bytes: Buffer.concat([head, Buffer.from(packed, "latin1")]) }]);
	assert.equal(notices[0]?.receivedBytes, Buffer.byteLength(STREAM));
});

test("each attempt has a notice with its status and error, without the key", async () => {
	const { notices, ended } = await told([refusal("529 Busy"), refusal("503 Away"), { bytes: reply(STREAM) }]);
	assert.equal(ended.outcome, "complete");
	assert.deepEqual(
		notices.map(({ attempt, status, error }) => [attempt, status, error?.code]),
		[
			[1, 529, "overloaded"],
			[2, 503, "overloaded"],
			[3, 200, undefined],
		],
	);
	assert.ok((notices[0]?.receivedBytes ?? 0) > 20);
	assert.doesNotMatch(
		notices.map(({ error }) => `${error?.message} ${JSON.stringify(error)}`).join(),
		/notice-test-key/,
	);
});

test("a stream that breaks off has a notice with the received bytes and the reason", async () => {
	const half = delta("half");
	const { notices } = await told([{ bytes: reply(half) }]);
	const [{ status, receivedBytes, error }] = notices as [RequestNotice];
	assert.deepEqual([status, receivedBytes, error?.code], [200, Buffer.byteLength(half), "interrupted"]);
});

test("a reply that the person stops has a notice as aborted, with the received bytes", async () => {
	const { notices, ended } = await told([{ bytes: reply(delta("half")), after: "stay" }], { stopAt: true });
	assert.equal(ended.outcome, "stopped");
	const [{ status, receivedBytes, error }] = notices as [RequestNotice];
	assert.deepEqual([status, receivedBytes, error?.code], [200, Buffer.byteLength(delta("half")), "aborted"]);
});

test("without an answer there is no status and no byte, and each try has a notice", async () => {
	const { notices } = await told([{ bytes: new Uint8Array(0), after: "reset" }]);
	assert.deepEqual(
		notices.map(({ attempt, status, receivedBytes, error }) => [attempt, status, receivedBytes, error?.code]),
		[1, 2, 3, 4].map((attempt) => [attempt, null, 0, "network"]),
	);
});

test("a request that is refused before it is sent has no notice", async () => {
	const { notices } = await told([{ bytes: reply(STREAM) }], { request: { ...hello, maxTokens: 0 } });
	assert.deepEqual(notices, []);
});

test("a conversation too long for a log is replaced by its size", async () => {
	const content = "x".repeat(40_000);
	const request = { ...hello, messages: [{ role: "user", content }] };
	const { notices } = await told([{ bytes: reply(STREAM) }], { request });
	assert.equal(notices[0]?.body, null);
	assert.ok((notices[0]?.sentBytes ?? 0) > 40_000);
});

test("a probe has a notice, refused or not, unless nothing was sent", async () => {
	const notices: RequestNotice[] = [];
	const probe = (baseUrl: string) =>
		probeMessages({
			transport,
			clock: new FakeClock(),
			endpoint: { baseUrl, profile, key: KEY },
			onRequest: (notice) => notices.push(notice),
		});
	await probe(server.play(refusal("400 Bad Request")).baseUrl);
	await probe(server.play(refusal("401 Unauthorized")).baseUrl);
	await probe("nonsense");
	assert.deepEqual(
		notices.map(({ status, error, headers }) => [status, error?.code, headers["x-api-key"]]),
		[
			[400, "invalid", "{key}"],
			[400, undefined, "{key}"],
			[401, "unauthorized", "{key}"],
			[401, "unauthorized", "{key}"],
		],
	);
	assert.ok(notices.every(({ method, body }) => method === "GET" || body?.includes('"messages":[]')));
});

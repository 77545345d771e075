import { strict as assert } from "node:assert";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { createTransport } from "#api/http/undici-transport.ts";
import type { EndedReply, ReplyObserver, RetryNotice } from "#api/messages/model.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type RawRequest, type Replay, reply, sse } from "../../support/replay-server.ts";
import { clientAt, delta, hello, KEY, replayServer, STOP } from "./client-at.ts";

const server = replayServer();

const chunkedHead = Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
const whole: Replay = { bytes: reply(delta("hi") + STOP) };
const failing = (status: string, headers: Record<string, string> = {}, body = ""): Replay => ({
	bytes: reply(body, { status, headers }),
});

/** Hears everything, in order. */
function recorder() {
	const heard: string[] = [];
	const retries: RetryNotice[] = [];
	const observer: ReplyObserver = {
		onTry: () => heard.push("request"),
		onRetry: (notice) => {
			retries.push(notice);
			heard.push("retry");
		},
		onFirstByte: () => heard.push("first byte"),
		onBlock: ({ appended }) => heard.push(`block ${appended}`),
		onSilence: (ms) => heard.push(`silence ${ms}`),
	};
	return { heard, retries, observer };
}

/** Lets real input and output happen while the fake clock stands still, until something holds. */
async function until(holds: () => boolean): Promise<void> {
	for (let count = 0; count < 5_000 && !holds(); count++) await wait(1);
	assert.ok(holds(), "it never came to hold");
}

/** Sends with a fake clock, which is moved past every wait as soon as it begins. */
async function sendWithRetries(...replies: Replay[]) {
	const clock = new FakeClock();
	const { baseUrl, requests } = server.play(...replies);
	const { heard, retries, observer } = recorder();
	const onRetry = (notice: RetryNotice) => {
		observer.onRetry?.(notice);
		setImmediate(() => clock.advance(notice.inMs));
	};
	const ended = await clientAt(baseUrl, { clock }).send(hello, { observer: { ...observer, onRetry } });
	assert.equal(ended.requests, requests.length);
	return { ended, heard, retries, requests, clock };
}

const textOf = ({ reply: { blocks } }: EndedReply) => blocks.map((block) => block.text).join("|");
const headersOf = ({ head }: RawRequest) =>
	Object.fromEntries(
		head
			.split("\r\n")
			.slice(1)
			.map((line) => line.toLowerCase().split(": ", 2)),
	);

test("one request carries the contract's line, headers and body, and nothing besides", async () => {
	const { baseUrl, requests } = server.play(whole);
	await clientAt(`${baseUrl}/`).send(hello);
	const [request] = requests;
	assert.ok(request !== undefined);
	const { host, "content-length": length, connection, ...headers } = headersOf(request);
	assert.match(request.head, /^POST \/r\d+\/v1\/messages HTTP\/1\.1\r\n/);
	assert.deepEqual(headers, {
		"content-type": "application/json",
		accept: "text/event-stream, application/json",
		"service-version": "2023-06-01",
		"x-api-key": KEY,
	});
	assert.equal(Number(length), Buffer.byteLength(request.body));
	assert.ok(host?.startsWith("127.0.0.1:") && connection !== undefined);
	assert.deepEqual(JSON.parse(request.body), {
		model: "any",
		messages: [{ role: "user", content: "hello" }],
		max_tokens: 100,
		stream: true,
	});
});

test("a plain request asks for JSON and takes in one message", async () => {
	const message = JSON.stringify({ id: "i", content: [{ type: "text", text: "hi" }], stop_reason: "end_turn" });
	const { baseUrl, requests } = server.play({ bytes: reply(message) });
	const ended = await clientAt(baseUrl).send({ ...hello, stream: false });
	assert.deepEqual([ended.outcome, textOf(ended)], ["complete", "hi"]);
	assert.equal(requests[0] && headersOf(requests[0])["accept"], "application/json");
});

test("a refused argument ends as failed with no request made", async () => {
	const { baseUrl, requests } = server.play(whole);
	const ended = await clientAt(baseUrl).send({ ...hello, maxTokens: 0 });
	assert.deepEqual([ended.outcome, ended.error?.code, ended.error?.field], ["failed", "invalid", "max_tokens"]);
	assert.deepEqual([ended.requests, requests.length], [0, 0]);
});

test("a passing failure is tried again with a notice, and then forgotten", async () => {
	const { ended, heard, retries, requests } = await sendWithRetries(failing("529 Busy", { "retry-after": "9" }), whole);
	assert.deepEqual([ended.outcome, ended.error, textOf(ended)], ["complete", undefined, "hi"]);
	assert.deepEqual(heard, ["request", "retry", "request", "first byte", "block hi"]);
	const [{ attempt, inMs, error }] = retries as [RetryNotice];
	assert.deepEqual([attempt, inMs, error.status, error.retryAfterMs], [2, 9_000, 529, 9_000]);
	assert.equal(requests[0]?.body, requests[1]?.body);
});

test("an error status is recognized however its body ends, or does not", async () => {
	const bodies = [
		reply('{"error":{"message":"why"}}', { status: "429 Slow", headers: { "retry-after": "1" } }),
		reply("", { status: "401 No", headers: { "transfer-encoding": "chunked" } }),
		reply("wh", { status: "400 Bad", headers: { "content-length": "400" } }),
	];
	for (const bytes of bodies) {
		const clock = new FakeClock();
		const { baseUrl, requests } = server.play({ bytes, after: "stay" });
		const client = clientAt(baseUrl, { clock, maxAttempts: 1, silenceNoticeMs: 1_000, silenceLimitMs: 2_000 });
		const sending = client.send(hello);
		await until(() => requests.length === 1);
		await wait(20);
		clock.advance(6_000);
		const { outcome, error } = await sending;
		assert.deepEqual([outcome, `${error?.status}`], ["failed", /HTTP\S+ (\d+)/.exec(`${Buffer.from(bytes)}`)?.[1]]);
		await requests[0]?.closed;
	}
});

test("stopping does not wait for the end of an explanation", async () => {
	const endless = server.play({ bytes: reply("{", { status: "400 Bad" }), after: "stay" });
	const abort = new AbortController();
	const stopping = clientAt(endless.baseUrl, { clock: new FakeClock() }).send(hello, { signal: abort.signal });
	await until(() => endless.requests.length === 1);
	await wait(20);
	abort.abort();
	assert.equal((await stopping).outcome, "stopped");
});

test("a connection that breaks before the first byte of the body is made again", async () => {
	const nothing: Replay = { bytes: new Uint8Array(), after: "reset" };
	const { ended, retries } = await sendWithRetries(nothing, nothing, whole);
	assert.deepEqual([ended.outcome, ended.requests], ["complete", 3]);
	assert.deepEqual(
		retries.map(({ error }) => [error.code, error.status]),
		[
			["network", undefined],
			["network", undefined],
		],
	);
	const headOnly: Replay = { bytes: reply("", { headers: { "content-length": "5" } }) };
	assert.equal((await sendWithRetries(headOnly, whole)).ended.outcome, "complete");
});

test("a connection that breaks before a whole event is retried", async () => {
	for (const body of ["", ": hello\n\n", "retry: 7\n\n", "event: message_st", 'event: ping\ndata: {"ty']) {
		const broken: Replay = { bytes: reply(body, { headers: { "content-length": "500" } }), after: "reset" };
		const { ended, heard } = await sendWithRetries(broken, whole);
		assert.deepEqual([ended.outcome, ended.requests], ["complete", 2], body);
		assert.deepEqual(heard, ["request", "retry", "request", "first byte", "block hi"]);
	}
});

test("a stream of which no event is understood is named as what it is", async () => {
	const chunk = { choices: [{ delta: { content: "hi" } }] };
	const line = JSON.stringify({ message: { content: "hi" }, done: false });
	for (const body of [
		`data: ${delta("hi").split("\n")[1]}\n\n`,
		`event: ping\ndata: {}\n\ndata: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
		sse({ type: "novelty" }),
		`${line}\n${line}\n`,
		gzipSync(delta("hi") + STOP),
	]) {
		const head = reply("", { headers: { "content-type": "text/event-stream" } });
		const { ended } = await sendWithRetries({ bytes: Buffer.concat([head, Buffer.from(body)]) }, whole);
		assert.deepEqual([ended.outcome, ended.error?.code, ended.requests], ["failed", "malformed", 1], `${body}`);
		assert.match(ended.error?.message ?? "", /^This is not the messages API's stream\.$/);
	}
});

/** A compressed reply whose body is sent as it is here. */
function gzipped(body: Uint8Array): Uint8Array {
	return Buffer.concat([reply("", { headers: { "content-encoding": "gzip" } }), body]);
}

test("bytes of a compressed reply end a silence before they can be decoded", async () => {
	const clock = new FakeClock();
	// A gzip header may hold a file's name of any length.
	const header = Buffer.from(`\x1f\x8b\x08\x08${"\0".repeat(6)}${"n".repeat(20_000)}\0`, "latin1");
	const bytes = gzipped(Buffer.concat([header, gzipSync(delta("hi") + STOP).subarray(10)]));
	const { baseUrl } = server.play({ bytes, piece: 1 });
	const ticking = setInterval(() => clock.monotonic() < 5_000 && clock.advance(20), 1);
	const ended = await clientAt(baseUrl, { clock, silenceNoticeMs: 4_000, silenceLimitMs: 4_000 }).send(hello);
	clearInterval(ticking);
	assert.deepEqual([ended.outcome, textOf(ended)], ["complete", "hi"]);
});

const cut = { headers: { "content-length": "500" } };
const fault = (type: string) => ({ type: "error", error: { type } });
const startOf = (content_block: object) => sse({ type: "content_block_start", index: 0, content_block });

test("a passing fault is repeated until a block has had a text or a call", async () => {
	const message = '{"type":"message","content":[{"type":"text","text":"ha';
	const [start, empty] = [sse({ type: "message_start", message: {} }), startOf({ type: "text", text: "" })];
	for (const body of [
		...["", ":", ": hello\n\n", message, sse({ type: "ping" }), start, start + empty],
		...[
			sse(fault("overloaded_error")),
			start + empty + sse(fault("api_error")),
			JSON.stringify(fault("rate_limit_error")),
		],
	]) {
		for (const replay of [{ bytes: reply(body) }, { bytes: reply(body, cut), after: "reset" } as const]) {
			const { ended, heard } = await sendWithRetries(replay, replay, whole);
			assert.deepEqual([ended.outcome, ended.requests, textOf(ended)], ["complete", 3, "hi"], body);
			assert.deepEqual(
				heard.filter((each) => each.startsWith("block")),
				["block hi"],
			);
		}
	}
	const { ended } = await sendWithRetries({ bytes: reply("") });
	assert.deepEqual([ended.outcome, ended.error?.code, ended.requests], ["failed", "server", 4]);
});

test("a lasting fault, or one behind a text or a call, is never repeated", async () => {
	const call = startOf({ type: "tool_use", id: "a", name: "find", input: {} });
	const endings: [string, Replay][] = [
		["interrupted interrupted", { bytes: reply(delta("a")) }],
		["interrupted interrupted", { bytes: reply(call, cut), after: "reset" }],
		["failed overloaded", { bytes: reply(delta("a") + sse(fault("overloaded_error"))) }],
		["failed overloaded", { bytes: reply(call + sse(fault("overloaded_error"))) }],
		["failed malformed", { bytes: reply("<html></html>") }],
		["failed invalid", { bytes: reply(sse(fault("invalid_request_error"))) }],
	];
	for (const [end, replay] of endings) {
		const { ended, heard } = await sendWithRetries(replay, whole);
		assert.deepEqual([`${ended.outcome} ${ended.error?.code}`, ended.requests], [end, 1]);
		assert.ok(!heard.includes("retry"));
	}
});

test("a service that gives up the connections it keeps is asked once a message", async () => {
	const body = `${delta("hi")}${STOP}`;
	const head = { connection: "keep-alive", "content-length": `${body.length}` };
	const { baseUrl, requests } = server.play({ bytes: reply(body, { headers: head }), after: "give up" });
	const client = clientAt(baseUrl);
	for (let count = 1; count <= 100; count++) {
		const ended = await client.send(hello);
		assert.deepEqual([ended.outcome, ended.requests, requests.length], ["complete", 1, count]);
	}
});

test("a reply stopped before, while waiting or half received keeps its text", async () => {
	const { baseUrl, requests } = server.play({ bytes: reply(delta("half")), after: "stay" });
	const client = clientAt(baseUrl);
	const early = await client.send(hello, { signal: AbortSignal.abort() });
	assert.deepEqual([early.outcome, early.requests], ["stopped", 0]);
	const abort = new AbortController();
	const ended = await client.send(hello, { signal: abort.signal, observer: { onBlock: () => abort.abort() } });
	assert.deepEqual([ended.outcome, ended.error, textOf(ended)], ["stopped", undefined, "half"]);
	await requests[0]?.closed;
	const silent = server.play({ bytes: new Uint8Array(), after: "stay" });
	const waiting = new AbortController();
	const sending = clientAt(silent.baseUrl).send(hello, { signal: waiting.signal });
	await until(() => silent.requests.length === 1);
	waiting.abort();
	assert.equal((await sending).outcome, "stopped");
	await silent.requests[0]?.closed;
});

test("message_stop ends the reply and closes a socket that is still open", async () => {
	const { baseUrl, requests } = server.play({ bytes: reply(delta("hi") + STOP + delta("late")), after: "stay" });
	const ended = await clientAt(baseUrl).send(hello);
	assert.deepEqual([ended.outcome, textOf(ended), ended.reply.notes.late], ["complete", "hi", 1]);
	await requests[0]?.closed;
});

test("a stop reason ends a reply without message_stop only if its body came whole", async () => {
	const body = delta("hi") + sse({ type: "message_delta", delta: { stop_reason: "end_turn" } } as { type: string });
	const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
	const chunked = { "transfer-encoding": "chunked" };
	const [whole, more] = [{ "content-length": `${body.length}` }, { "content-length": `${body.length + 1}` }];
	for (const [outcome, bytes] of [
		["complete", reply(`${chunk(body)}0\r\n\r\n`, { headers: chunked })],
		["complete", reply(body, { headers: whole })],
		["interrupted", reply(chunk(body), { headers: chunked })],
		["interrupted", reply(body, { headers: more })],
		["interrupted", reply(body)],
	] as const) {
		const ended = await clientAt(server.play({ bytes }).baseUrl).send(hello);
		assert.deepEqual([ended.outcome, textOf(ended)], [outcome, "hi"]);
	}
});

test("a request that waits for a silent proxy times out, and has not broken off", async () => {
	const asked = Promise.withResolvers<void>();
	const proxy = createServer((socket) => socket.on("error", () => undefined).once("data", () => asked.resolve()));
	await once(proxy.listen(0, "127.0.0.1"), "listening");
	const through = createTransport({ proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
	const clock = new FakeClock();
	const sending = clientAt("https://service.invalid", { transport: through, clock, firstByteMs: 5_000 }).send(hello);
	await asked.promise;
	clock.advance(10_000);
	const ended = await sending;
	assert.deepEqual([ended.outcome, ended.error?.code, ended.requests], ["failed", "timeout", 1]);
	await through.close();
	proxy.close();
});

test("silence is reported, then ends the reply as stalled and closes the socket", async () => {
	for (const bytes of [new Uint8Array(), reply(""), reply(delta("half"))]) {
		const clock = new FakeClock();
		const { baseUrl, requests } = server.play({ bytes, after: "stay" });
		const { heard, observer } = recorder();
		const patience = { silenceNoticeMs: 3_000, firstByteMs: 5_000, silenceLimitMs: 5_000 };
		const sending = clientAt(baseUrl, { clock, ...patience }).send(hello, { observer });
		await until(() => requests.length === 1 && (bytes.length < 100 || heard.length === 3));
		await wait(20);
		clock.advance(10_000);
		const ended = await sending;
		assert.deepEqual([ended.outcome, ended.error?.code, ended.requests], ["stalled", "stalled", 1]);
		assert.equal(textOf(ended), bytes.length > 100 ? "half" : "");
		assert.deepEqual(
			heard.filter((each) => each.startsWith("silence")),
			["silence 3000", "silence 4000"],
		);
		await requests[0]?.closed;
	}
});

test("an error inside a 200 fails the reply with its code and keeps the text", async () => {
	const error = { type: "error", error: { type: "overloaded_error", message: `Busy for ${KEY}` } };
	const bytes = reply(delta("half") + sse(error), { headers: { "request-id": "r-9" } });
	const { ended } = await sendWithRetries({ bytes });
	assert.deepEqual(
		[ended.outcome, ended.error?.code, ended.error?.message, ended.error?.requestId, textOf(ended)],
		["failed", "overloaded", "Busy for [redacted]", "r-9", "half"],
	);
});

test("the client's own key never comes back as a request's id", async () => {
	const headers = { "request-id": `id-${KEY}` };
	const error = { type: "error", error: { type: "api_error", message: "x" }, request_id: KEY };
	const bodies = [delta("cut"), "{}", "<html>", sse({ type: "error" }), sse(error)];
	for (const body of bodies) {
		const { ended } = await sendWithRetries({ bytes: reply(body, { headers }) });
		assert.match(ended.error?.requestId ?? "", /^(id-)?\[redacted\]$/, body);
	}
	assert.match((await sendWithRetries(failing("400 No", headers))).ended.error?.requestId ?? "", /redacted/);
});

test("an answer that is not HTTP is malformed, not retried, and nothing of it is kept", async () => {
	const echo = Buffer.from(`220 mail.test ESMTP x-api-key: ${KEY}\r\n`);
	const { ended } = await sendWithRetries({ bytes: echo }, whole);
	assert.deepEqual([ended.outcome, ended.error?.code, ended.requests], ["failed", "malformed", 1]);
	const late = await sendWithRetries({ bytes: Buffer.concat([chunkedHead, echo]) });
	for (const { error } of [ended, late.ended]) {
		assert.ok(error?.cause instanceof Error);
		assert.ok(!inspect(error, { depth: 9 }).includes(KEY));
	}
	const { baseUrl } = server.play({ bytes: echo });
	const listed: unknown = await clientAt(baseUrl)
		.listModels()
		.catch((error: unknown) => error);
	assert.match(inspect(listed), /HTTPParserError/);
	assert.ok(!inspect(listed, { depth: 9 }).includes(KEY));
});

test("a parameter that the service refuses by name is the field of the error", async () => {
	const body = '{"error":{"type":"invalid_request_error","message":"`temperature` is deprecated for this model"}}';
	const { baseUrl } = server.play(failing("400 Bad Request", {}, body));
	const ended = await clientAt(baseUrl).send({ ...hello, temperature: 0.5 });
	assert.deepEqual([ended.error?.code, ended.error?.status, ended.error?.field], ["invalid", 400, "temperature"]);
});

import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience, type EndedReply, type MessagesRequest, type Patience } from "#api/messages/model.ts";
import { systemClock } from "#base/clock.ts";
import type { ErrorCode } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import type { Behaviour } from "#sandbox/messages/behaviour.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { until } from "./wire.ts";

const transport = createTransport();
let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 0 });
});
after(async () => {
	await sandbox.close();
	await transport.close();
});

interface Asked {
	readonly request?: Partial<MessagesRequest>;
	readonly patience?: Partial<Patience>;
	readonly key?: string;
	readonly version?: string;
	readonly signal?: AbortSignal;
}

const TEXT = "one é 漢字 🔌 two";
let asked = 0;

/** Sends one message to the sandbox, which says {@link TEXT} unless told otherwise. */
function send(behaviour: Behaviour, { request, patience, key, version, signal }: Asked = {}): Promise<EndedReply> {
	const client = new MessagesClient({
		transport,
		clock: systemClock,
		patience: { ...defaultPatience, ...patience },
		endpoint: {
			baseUrl: sandbox.baseUrls.messages,
			profile: { versionHeader: "service-version", version: version ?? "2023-06-01", keyHeader: "x-api-key" },
			key: key ?? sandbox.keys.messages,
		},
	});
	return client.send(
		{
			model: "sandbox-1",
			// A body of its own for each call: failures are counted for each body.
			messages: [{ role: "user", content: `call ${++asked}` }],
			maxTokens: 100_000,
			metadata: { sandbox: { say: [TEXT], ...behaviour } },
			...request,
		},
		{ signal },
	);
}

/** Text of the text and thinking blocks by index, pieces on the same index put together. */
function texts({ reply }: EndedReply): Record<number, string> {
	const found: Record<number, string> = {};
	for (const { index, text } of reply.blocks) {
		found[index] = (found[index] ?? "") + text;
	}
	return found;
}

const TWO = { say: ["a b c", "d e f"] } as const;
const BOTH = { 0: "a b c", 1: "d e f" };

const complete: ReadonlyArray<readonly [name: string, behaviour: Behaviour, texts: Record<number, string>]> = [
	["a plain stream", {}, { 0: TEXT }],
	["several blocks", TWO, BOTH],
	["keep-alives between the words", { wordDelayMs: 15, pingEveryMs: 5 }, { 0: TEXT }],
	["late headers", { headersAfterMs: 50 }, { 0: TEXT }],
	["a JSON message in place of the stream", { ...TWO, answerWith: "json-message" }, BOTH],
];
for (const [name, behaviour, expected] of complete) {
	test(`${name}: complete, and every character is there`, async () => {
		const ended = await send(behaviour);
		assert.equal(ended.outcome, "complete");
		assert.deepEqual(texts(ended), expected);
		assert.equal(ended.error, undefined);
		assert.equal(ended.requests, 1);
	});
}

const others: ReadonlyArray<readonly [Behaviour, Asked["request"], Outcome, Record<number, string>]> = [
	[{}, { maxTokens: 2 }, "truncated", { 0: "one é" }],
	[{}, { stopSequences: ["漢"] }, "stop-sequence", { 0: "one é " }],
	[{ stopReason: "refusal" }, {}, "refused", { 0: TEXT }],
	[{}, { stream: false }, "complete", { 0: TEXT }],
	[{}, { stream: false, maxTokens: 1 }, "truncated", { 0: "one" }],
	[{}, { stream: false, stopSequences: ["two"] }, "stop-sequence", { 0: "one é 漢字 🔌 " }],
];
for (const [behaviour, request, outcome, expected] of others) {
	test(`${JSON.stringify({ ...behaviour, ...request })} ends as ${outcome}`, async () => {
		const ended = await send(behaviour, { request: request ?? {} });
		assert.equal(ended.outcome, outcome);
		assert.deepEqual(texts(ended), expected);
	});
}

test("usage, ids and the stop sequence are what the service said last", async () => {
	const { reply } = await send({}, { request: { stopSequences: ["two"] } });
	assert.deepEqual(reply.usage, { inputTokens: 2, outputTokens: 5 });
	assert.deepEqual([reply.model, reply.role, reply.stopSequence], ["sandbox-1", "assistant", "two"]);
	assert.match(reply.id ?? "", /^message-sandbox-/);
});

const broken: ReadonlyArray<readonly [NonNullable<Behaviour["cut"]>["how"], Outcome, ErrorCode]> = [
	["end", "interrupted", "interrupted"],
	["reset", "interrupted", "interrupted"],
	["error", "failed", "overloaded"],
	["error-unwrapped", "failed", "overloaded"],
];
for (const [how, outcome, code] of broken) {
	test(`a stream cut by ${how} after each number of deltas is ${outcome}, keeps them all, and is never sent again`, async () => {
		for (const [afterDeltas, expected] of ["", "one", "one é", "one é 漢字"].entries()) {
			const ended = await send({ cut: { afterDeltas, how } });
			assert.equal(ended.outcome, outcome);
			assert.equal(ended.error?.code, code);
			assert.deepEqual(texts(ended), { 0: expected });
			assert.equal(ended.requests, 1);
		}
	});
}

test("silence in the middle stalls with what came, and the socket is closed", async () => {
	const ended = await send(
		{ cut: { afterDeltas: 2, how: "silence" } },
		{ patience: { silenceNoticeMs: 50, silenceLimitMs: 150 } },
	);
	assert.deepEqual([ended.outcome, ended.error?.code, texts(ended)], ["stalled", "stalled", { 0: "one é" }]);
	await until(() => sandbox.status().messages.active === 0);
});

test("silence before the headers stalls", async () => {
	const ended = await send({ neverAnswer: true }, { patience: { silenceNoticeMs: 50, firstByteMs: 100 } });
	assert.deepEqual([ended.outcome, ended.requests], ["stalled", 1]);
	await until(() => sandbox.status().messages.active === 0);
});

test("keep-alives keep a slow start from stalling", async () => {
	const ended = await send(
		{ startAfterMs: 400, pingEveryMs: 20 },
		{ patience: { silenceNoticeMs: 100, silenceLimitMs: 200 } },
	);
	assert.equal(ended.outcome, "complete");
});

test("an abort in the middle stops the reply with what came, and generation ends", async () => {
	const own = new AbortController();
	const { cutOff } = sandbox.status().messages;
	const sending = send({ cut: { afterDeltas: 3, how: "silence" } }, { signal: own.signal });
	await until(() => sandbox.status().messages.active === 1);
	await new Promise((resolve) => setTimeout(resolve, 50));
	own.abort();
	const ended = await sending;
	assert.deepEqual([ended.outcome, texts(ended)], ["stopped", { 0: "one é 漢字" }]);
	await until(() => sandbox.status().messages.cutOff === cutOff + 1);
});

for (const failure of [
	{ status: 429, times: 2, retryAfterMs: 5 },
	{ status: 429, times: 1, retryAfterSeconds: 0.01 },
	{ status: 429, times: 1 },
	{ status: 529, times: 2, retryAfterMs: 1, body: "coded" },
	{ status: 500, times: 1, retryAfterMs: 1, body: "html" },
	{ status: 503, times: 3, retryAfterMs: 1, body: "empty" },
	{ status: 400, times: 1, retryAfterMs: 1, shouldRetry: true },
] as const) {
	test(`${JSON.stringify(failure)} is tried again, and then the reply is complete`, async () => {
		const ended = await send({ fail: failure });
		assert.deepEqual([ended.outcome, ended.requests], ["complete", failure.times + 1]);
		assert.deepEqual(texts(ended), { 0: TEXT });
	});
}

test("a retry-after date is waited for", async () => {
	const started = performance.now();
	const ended = await send({ fail: { status: 503, retryAfterDateSeconds: 2 } });
	assert.deepEqual([ended.outcome, ended.requests], ["complete", 2]);
	// The header counts whole seconds, so up to one of the two is lost.
	assert.ok(performance.now() - started > 900);
});

test("a dropped connection is tried again", async () => {
	const ended = await send({ drop: 1 });
	assert.deepEqual([ended.outcome, ended.requests, texts(ended)], ["complete", 2, { 0: TEXT }]);
});

const failing: ReadonlyArray<readonly [string, Behaviour, Asked, ErrorCode, number | undefined, number]> = [
	["too many failures", { fail: { status: 529, times: 9, retryAfterMs: 1 } }, {}, "overloaded", 529, 4],
	["a wait beyond the limit", { fail: { status: 429, retryAfterSeconds: 3600 } }, {}, "rate-limited", 429, 1],
	["advice against another try", { fail: { status: 500, shouldRetry: false } }, {}, "server", 500, 1],
	["a wrong key", {}, { key: "sandbox-wrong" }, "unauthorized", 401, 1],
	["a wrong version", {}, { version: "2020-01-01" }, "invalid", 400, 1],
	["an unknown fault", { explode: true } as Behaviour, {}, "invalid", 400, 1],
	["a body that is too large", {}, { request: { system: "x".repeat(9_000_000) } }, "invalid", 413, 1],
	["an error in place of the stream", { answerWith: "json-error" }, {}, "invalid", undefined, 1],
	["HTML in place of the stream", { answerWith: "html" }, {}, "malformed", undefined, 1],
];
for (const [name, behaviour, options, code, status, requests] of failing) {
	test(`${name} fails with ${code}, and names the request`, async () => {
		const ended = await send(behaviour, options);
		assert.equal(ended.outcome, "failed");
		assert.deepEqual([ended.error?.code, ended.error?.status, ended.requests], [code, status, requests]);
		assert.match(ended.error?.requestId ?? "", /^request-sandbox-/);
	});
}

test("a key without quota is forbidden", async () => {
	const ended = await send({}, { key: sandbox.keys.messagesWithoutQuota });
	assert.deepEqual([ended.outcome, ended.error?.code, ended.error?.status], ["failed", "forbidden", 403]);
});

test("an empty 200 is never complete", async () => {
	const ended = await send({ answerWith: "empty" });
	assert.notEqual(ended.outcome, "complete");
	assert.ok(ended.error);
});

test("no error of the client ever holds the key", async () => {
	const key = "sandbox-wrong-key-0123456789";
	const { error } = await send({}, { key });
	assert.ok(error);
	assert.ok(!`${error.message} ${error.stack} ${JSON.stringify(error)}`.includes(key));
});

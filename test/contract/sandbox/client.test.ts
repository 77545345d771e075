import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience, type EndedReply, type MessagesPatience, type MessagesRequest } from "#api/messages/model.ts";
import { systemClock } from "#base/clock.ts";
import type { ErrorCode } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import type { MessagesFaults } from "#sandbox/messages/faults.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";

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
	readonly patience?: Partial<MessagesPatience>;
	readonly key?: string;
	readonly version?: string;
	readonly signal?: AbortSignal;
}

const TEXT = "one é 漢字 🔌 two";
let asked = 0;

/** Sends one message to the sandbox, which says {@link TEXT} unless told otherwise. */
function send(faults: MessagesFaults, { request, patience, key, version, signal }: Asked = {}): Promise<EndedReply> {
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
			metadata: { sandbox: { say: [TEXT], ...faults } },
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

const complete: ReadonlyArray<readonly [name: string, faults: MessagesFaults, texts: Record<number, string>]> = [
	["a plain stream", {}, { 0: TEXT }],
	["several blocks", TWO, BOTH],
	["keep-alives between the words", { wordDelayMs: 15, pingEveryMs: 5 }, { 0: TEXT }],
	["late headers", { headersAfterMs: 50 }, { 0: TEXT }],
];
for (const [name, faults, expected] of complete) {
	test(`${name}: complete, and every character is there`, async () => {
		const ended = await send(faults);
		assert.deepEqual([ended.outcome, ended.error, ended.requests], ["complete", undefined, 1]);
		assert.deepEqual(texts(ended), expected);
	});
}

const others: ReadonlyArray<readonly [MessagesFaults, Asked["request"], Outcome, Record<number, string>]> = [
	[{}, { maxTokens: 2 }, "truncated", { 0: "one é" }],
	[{}, { stopSequences: ["漢"] }, "stop-sequence", { 0: "one é " }],
	[{ stopReason: "refusal" }, {}, "refused", { 0: TEXT }],
	[{}, { stream: false }, "complete", { 0: TEXT }],
	[{}, { stream: false, maxTokens: 1 }, "truncated", { 0: "one" }],
	[{}, { stream: false, stopSequences: ["two"] }, "stop-sequence", { 0: "one é 漢字 🔌 " }],
];
for (const [faults, request, outcome, expected] of others) {
	test(`${JSON.stringify({ ...faults, ...request })} ends as ${outcome}`, async () => {
		const ended = await send(faults, { request: request ?? {} });
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

const broken: ReadonlyArray<readonly [NonNullable<MessagesFaults["cut"]>["how"], Outcome, ErrorCode]> = [
	["end", "interrupted", "interrupted"],
	["reset", "interrupted", "interrupted"],
	["error", "failed", "overloaded"],
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

const failing: ReadonlyArray<readonly [string, MessagesFaults, Asked, ErrorCode, number | undefined, number]> = [
	["too many failures", { fail: { status: 529, times: 9, retryAfterMs: 1 } }, {}, "overloaded", 529, 4],
	["a wait beyond the limit", { fail: { status: 429, retryAfterSeconds: 3600 } }, {}, "rate-limited", 429, 1],
	["advice against another try", { fail: { status: 500, shouldRetry: false } }, {}, "server", 500, 1],
	["a wrong key", {}, { key: "sandbox-wrong" }, "unauthorized", 401, 1],
	["a key without quota", {}, { key: "no quota" }, "forbidden", 403, 1],
	["a wrong version", {}, { version: "2020-01-01" }, "invalid", 400, 1],
	["an unknown fault", { explode: true } as MessagesFaults, {}, "invalid", 400, 1],
	["a body that is too large", {}, { request: { system: "x".repeat(9_000_000) } }, "invalid", 413, 1],
];
for (const [name, faults, options, code, status, requests] of failing) {
	test(`${name} fails with ${code}, and names the request`, async () => {
		const noQuota = options.key === "no quota" && { key: sandbox.keys.messagesWithoutQuota };
		const ended = await send(faults, { ...options, ...noQuota });
		assert.equal(ended.outcome, "failed");
		assert.deepEqual([ended.error?.code, ended.error?.status, ended.requests], [code, status, requests]);
		assert.match(ended.error?.requestId ?? "", /^request-sandbox-/);
	});
}

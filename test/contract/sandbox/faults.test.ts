import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import type { Behaviour } from "#sandbox/messages/behaviour.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { bodyWith, dataOf, post, readStream, stream, texts } from "./wire.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 0 });
});
after(() => sandbox.close());

const TWO = { say: ["a b", "c d"] } as const;

test("a failure comes as often as asked for the same body, then the reply, then the failures again", async () => {
	const body = bodyWith({ fail: { status: 429, times: 2 }, say: ["x"] });
	const statuses: number[] = [];
	for (let n = 0; n < 6; n++) {
		const response = await post(sandbox, body);
		await response.text();
		statuses.push(response.status);
	}
	assert.deepEqual(statuses, [429, 429, 200, 429, 429, 200]);
});

test("retry headers are sent exactly as asked, and none unasked", async () => {
	const plain = await post(sandbox, bodyWith({ fail: { status: 429 } }, { system: "plain" }));
	for (const name of ["retry-after", "retry-after-ms", "x-should-retry"]) assert.equal(plain.headers.get(name), null);
	const seconds = await post(sandbox, bodyWith({ fail: { status: 429, retryAfterSeconds: 1.5, shouldRetry: false } }));
	assert.equal(seconds.headers.get("retry-after"), "1.5");
	assert.equal(seconds.headers.get("x-should-retry"), "false");
	const exact = await post(sandbox, bodyWith({ fail: { status: 529, retryAfterMs: 250 } }));
	assert.equal(exact.status, 529);
	assert.equal(exact.headers.get("retry-after-ms"), "250");
	const dated = await post(sandbox, bodyWith({ fail: { status: 503, retryAfterDateSeconds: 90 } }));
	const ahead = Date.parse(dated.headers.get("retry-after") ?? "") - Date.now();
	assert.ok(ahead > 80_000 && ahead <= 90_000, `${ahead}`);
});

const bodies: ReadonlyArray<readonly [NonNullable<Behaviour["fail"]>["body"], RegExp]> = [
	[undefined, /^\{"type":"error","error":\{"type":"overloaded_error","message":".+"\},"request_id":"request-.+"\}$/],
	["bare", /^\{"error":\{"type":"overloaded_error","message":".+"\}\}$/],
	["coded", /^\{"error":\{"code":529,"message":".+","type":"overloaded_error"\}\}$/],
	["html", /^<html>/],
	["empty", /^$/],
];
for (const [shape, expected] of bodies) {
	test(`the body of a failure can be ${shape ?? "wrapped, as it is by default"}`, async () => {
		const failure = { status: 529, ...(shape && { body: shape }) };
		const response = await post(sandbox, bodyWith({ fail: failure }, { system: `${shape}` }));
		assert.equal(response.status, 529);
		assert.match(await response.text(), expected);
	});
}

const cuts: ReadonlyArray<readonly [NonNullable<Behaviour["cut"]>["how"], boolean]> = [
	["end", false],
	["reset", true],
	["error", false],
	["error-unwrapped", false],
];
for (const [how, breaks] of cuts) {
	test(`${how} comes after exactly as many deltas, all of which arrive, and message_stop never does`, async () => {
		for (const afterDeltas of [0, 3, 1000]) {
			const { events, broken } = await stream(sandbox, { ...TWO, cut: { afterDeltas, how } });
			assert.equal(Object.values(texts(events)).join("").length, [0, 4, 6][[0, 3, 1000].indexOf(afterDeltas)]);
			assert.equal(broken !== undefined, breaks);
			assert.ok(!events.some(({ event }) => event === "message_stop" || event === "message_delta"));
			assert.equal(
				events.some(({ event }) => event === "error"),
				how.startsWith("error"),
			);
		}
	});
}

test("an announced error is wrapped or not, and of the type that was asked for", async () => {
	const wrapped = await stream(sandbox, { cut: { afterDeltas: 1, how: "error", errorType: "api_error" } });
	const { error } = dataOf(wrapped.events, "error");
	assert.ok(typeof error === "object" && error !== null && "type" in error);
	assert.equal(error.type, "api_error");
	const bare = dataOf((await stream(sandbox, { cut: { afterDeltas: 1, how: "error-unwrapped" } })).events, "error");
	assert.deepEqual(Object.keys(bare), ["code", "message", "type"]);
	assert.equal(bare["type"], "overloaded_error");
});

test("silence after some deltas sends nothing more, not even a ping", async () => {
	const leave = new AbortController();
	const silent = { ...TWO, pingEveryMs: 5, cut: { afterDeltas: 2, how: "silence" } } as const;
	const response = await post(sandbox, bodyWith(silent), { signal: leave.signal });
	setTimeout(() => leave.abort(), 400);
	const { events, broken } = await readStream(response);
	assert.notEqual(broken, undefined);
	assert.deepEqual(texts(events), { 0: "a b" });
	// On a slow machine one may come before the silence.
	assert.notEqual(events.at(-1)?.event, "ping");
});

test("the stop reason can be any", async () => {
	const { events } = await stream(sandbox, { stopReason: "refusal" });
	assert.deepEqual(dataOf(events, "message_delta")["delta"], { stop_reason: "refusal", stop_sequence: null });
});

const answers: ReadonlyArray<readonly [NonNullable<Behaviour["answerWith"]>, string | null, RegExp]> = [
	["html", "text/html", /^<html>/],
	["json-message", "application/json; charset=utf-8", /^\{"id":"message-.+"text":"a b"/],
	["json-error", "application/json; charset=utf-8", /^\{"type":"error"/],
	["empty", null, /^$/],
];
for (const [answerWith, type, expected] of answers) {
	test(`a 200 in place of a stream can be ${answerWith}`, async () => {
		const response = await post(sandbox, bodyWith({ ...TWO, answerWith }));
		assert.equal(response.status, 200);
		assert.equal(response.headers.get("content-type"), type);
		assert.match(await response.text(), expected);
	});
}

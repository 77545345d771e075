import { strict as assert } from "node:assert";
import { test } from "node:test";
import { askedWaitMs, type FailedTry, retryWaitMs } from "#api/http/retry.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const policy = { maxAttempts: 4, maxRetryWaitMs: 60_000, now, random: 0 };
const failed = (more: Partial<FailedTry> = {}): FailedTry => ({ attempt: 1, status: 429, headers: {}, ...more });

test("a few refusals pass, and every 5xx but for what is not supported", () => {
	const lasting: number[] = [];
	for (let status = 400; status < 600; status++)
		if (retryWaitMs(failed({ status }), policy) === null) lasting.push(status);
	const refusals = Array.from({ length: 100 }, (_, count) => 400 + count);
	assert.deepEqual(lasting, [...refusals.filter((status) => ![408, 409, 429].includes(status)), 501, 505]);
	for (const status of [100, 200, 304]) assert.equal(retryWaitMs(failed({ status }), policy), null);
});

test("a failed connection is tried again unless trying cannot help", () => {
	assert.equal(retryWaitMs(failed({ status: null }), policy), 500);
	assert.equal(retryWaitMs(failed({ status: null, passing: false }), policy), null);
});

test("x-should-retry decides over the status, but never over a redirect or a success", () => {
	const advised = (status: number, advice: string) =>
		retryWaitMs(failed({ status, headers: { "x-should-retry": advice } }), policy);
	assert.equal(advised(400, "true"), 500);
	assert.equal(advised(400, " True "), 500);
	assert.equal(advised(429, "false"), null);
	assert.equal(advised(429, "perhaps"), 500);
	assert.equal(advised(302, "true"), null);
	assert.equal(advised(200, "true"), null);
});

test("the tries are counted from 1 up to the limit", () => {
	assert.notEqual(retryWaitMs(failed({ attempt: 3 }), policy), null);
	assert.equal(retryWaitMs(failed({ attempt: 4 }), policy), null);
	assert.equal(retryWaitMs(failed(), { ...policy, maxAttempts: 1 }), null);
	assert.equal(retryWaitMs(failed(), { ...policy, maxAttempts: 0 }), null);
});

test("waits double from half a second to eight, shortened by at most a quarter", () => {
	const patient = { ...policy, maxAttempts: 100 };
	const waits = (random: number) =>
		[1, 2, 3, 4, 5, 6, 50].map((attempt) => retryWaitMs(failed({ attempt }), { ...patient, random }));
	assert.deepEqual(waits(0), [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
	assert.deepEqual(waits(0.5), [437.5, 875, 1_750, 3_500, 7_000, 7_000, 7_000]);
	for (const wait of waits(0.999_999)) assert.ok(wait !== null && wait >= 375);
	assert.equal(retryWaitMs(failed({ attempt: 5 }), { ...patient, maxRetryWaitMs: 1_000 }), 1_000);
});

test("a wait the service asks for replaces the backoff, milliseconds before seconds", () => {
	assert.equal(retryWaitMs(failed({ headers: { "retry-after": "7" } }), policy), 7_000);
	assert.equal(retryWaitMs(failed({ headers: { "retry-after": "7", "retry-after-ms": "20" } }), policy), 20);
	assert.equal(retryWaitMs(failed({ headers: { "retry-after": "0" } }), policy), 0);
});

test("a wait that leaves no time for another try ends the tries", () => {
	const asked = failed({ headers: { "retry-after": "40" } });
	assert.equal(retryWaitMs(asked, { ...policy, leftMs: 40_000 }), null);
	assert.equal(retryWaitMs(asked, { ...policy, leftMs: 40_001 }), 40_000);
	assert.equal(retryWaitMs(failed(), { ...policy, leftMs: 500 }), null);
});

test("a wait above the cap ends the tries, one at the cap does not", () => {
	assert.equal(retryWaitMs(failed({ headers: { "retry-after": "60" } }), policy), 60_000);
	assert.equal(retryWaitMs(failed({ headers: { "retry-after": "61" } }), policy), null);
	assert.equal(retryWaitMs(failed({ headers: { "retry-after-ms": "60001" } }), policy), null);
});

test("retry-after is read as seconds, fractions of them, or an HTTP date", () => {
	const asked = (value: string) => askedWaitMs({ "retry-after": value }, now);
	assert.equal(asked("3"), 3_000);
	assert.equal(asked(" 1.5 "), 1_500);
	assert.equal(asked("Sat, 21 Nov 2026 12:00:30 GMT"), 30_000);
	assert.equal(asked("Saturday, 21-Nov-26 12:00:30 GMT"), 30_000);
});

test("a wait of any length is one, and of several the longest counts", () => {
	const asked = (value: string) => askedWaitMs({ "retry-after": value }, now);
	assert.equal(asked("1000000000000"), 1_000_000_000_000_000);
	assert.equal(asked("9999999999999"), Number.MAX_SAFE_INTEGER);
	assert.equal(asked("9".repeat(400)), Number.MAX_SAFE_INTEGER);
	assert.equal(retryWaitMs(failed({ headers: { "retry-after": "9999999999999" } }), policy), null);
	assert.equal(asked("1, 2"), 2_000);
	assert.equal(asked("7, soon,3,-9"), 7_000);
	assert.equal(asked("1, Sat, 21 Nov 2026 12:00:30 GMT"), 30_000);
	assert.equal(asked("Sat, 21 Nov 2026 12:00:30 GMT, Sat, 21 Nov 2026 11:00:00 GMT"), 30_000);
	assert.equal(askedWaitMs({ "retry-after-ms": "10, 20" }, now), 20);
});

test("a wait that is negative, past or nonsense is passed over", () => {
	for (const value of ["-5", "soon", "", "NaN", "Infinity", "1e3", "0x10", "Sat, 21 Nov 2026 11:59:59 GMT", "5 days"]) {
		assert.equal(askedWaitMs({ "retry-after": value }, now), undefined, value);
		assert.equal(retryWaitMs(failed({ headers: { "retry-after": value } }), policy), 500, value);
	}
	assert.equal(askedWaitMs({ "retry-after-ms": "-1", "retry-after": "2" }, now), 2_000);
	assert.equal(askedWaitMs({}, now), undefined);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { isLimit, isLow, limitWaitMs, readGauge, serverTimeOf } from "#api/codehost/rate-limit.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const names = { remaining: "X-RateLimit-Remaining", limit: "X-RateLimit-Limit", reset: "X-RateLimit-Reset" };
const seconds = now / 1_000;

function limited(status: number, headers: Record<string, string> = {}, message = "no"): boolean {
	return isLimit({ status, headers, message }, names);
}

function wait(headers: Record<string, string>, strikes = 0): number | null {
	return limitWaitMs(headers, { names, now, strikes }).ms;
}

test("a 429 is a limit whatever else it says", () => assert.ok(limited(429)));

test("a 403 is a limit only with Retry-After, nothing remaining, or such a message", () => {
	assert.equal(limited(403), false);
	assert.equal(limited(403, { "x-ratelimit-remaining": "12" }), false);
	assert.equal(limited(403, {}, "Resource not accessible by integration"), false);
	assert.equal(limited(403, { "retry-after": "5" }), true);
	assert.equal(limited(403, { "x-ratelimit-remaining": "0" }), true);
	assert.equal(limited(403, {}, "API rate limit exceeded for user"), true);
	for (const message of [
		"You have exceeded a secondary Rate Limit",
		"You have triggered an abuse detection mechanism",
		"Please wait a few minutes before you try again.",
		"Too many requests",
		"rate_limit_exceeded",
		"The request was throttled",
		"Quota exceeded",
		"You have exceeded a secondary quota",
		"Too Many Attempts.",
		"Rate exceeded",
		"Blocked by abuse-detection",
	]) {
		assert.equal(limited(403, {}, message), true, message);
	}
});

test("no other status is a limit, even with nothing remaining", () => {
	for (const status of [200, 304, 401, 404, 500, 503]) {
		assert.equal(limited(status, { "x-ratelimit-remaining": "0" }, "rate limit exceeded"), false, String(status));
	}
});

test("Retry-After is believed first, in seconds or as a date", () => {
	const reset = { "x-ratelimit-reset": String(seconds + 900) };
	assert.equal(wait({ ...reset, "retry-after": "7" }), 7_000);
	assert.equal(wait({ ...reset, "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }), 30_000);
	assert.equal(wait({ ...reset, "retry-after": "soon" }), 900_000);
});

test("a Retry-After date counts from the service's own Date if there is one", () => {
	const headers = { "retry-after": "Sat, 21 Nov 2026 12:10:30 GMT", date: "Sat, 21 Nov 2026 12:10:00 GMT" };
	assert.equal(wait(headers), 30_000);
});

test("a reset is used second, in seconds or milliseconds, by the service's time", () => {
	assert.equal(wait({ "x-ratelimit-reset": String(seconds + 30) }), 30_000);
	assert.equal(wait({ "x-ratelimit-reset": String(now + 30_500) }), 30_500);
	const ahead = { "x-ratelimit-reset": String(seconds + 630), date: "Sat, 21 Nov 2026 12:10:00 GMT" };
	assert.equal(wait(ahead), 30_000);
});

test("a reset that is past, nonsense or more than two hours away is ignored", () => {
	for (const reset of [seconds - 1, seconds, seconds + 7_201, 0, 42]) {
		assert.equal(wait({ "x-ratelimit-reset": String(reset) }), 60_000, String(reset));
	}
	for (const reset of ["", "soon", "-5", "1e9", `${seconds + 30}, ${seconds + 40}`]) {
		assert.equal(wait({ "x-ratelimit-reset": reset }), 60_000, reset);
	}
	assert.equal(wait({ "x-ratelimit-reset": String(seconds + 7_200) }), 7_200_000);
});

test("while nothing is known the waits are 60, 120 and 240 s, then guessing ends", () => {
	assert.deepEqual(
		[0, 1, 2, 3, 4].map((strikes) => wait({}, strikes)),
		[60_000, 120_000, 240_000, null, null],
	);
	assert.equal(wait({ "retry-after": "3" }, 9), 3_000);
});

test("without a name for it, no header is taken for the reset", () => {
	const headers = { "x-ratelimit-reset": String(seconds + 30) };
	const documented = { remaining: "X-RateLimit-Remaining" };
	assert.equal(limitWaitMs(headers, { names: documented, now, strikes: 0 }).guessed, true);
});

test("a gauge holds what was reported, and nothing where nothing was", () => {
	assert.equal(readGauge({}, { names, now }), null);
	assert.equal(readGauge({ "x-ratelimit-limit": "5000" }, { names, now }), null);
	assert.equal(readGauge({ "x-ratelimit-remaining": "many" }, { names, now }), null);
	assert.deepEqual(readGauge({ "x-ratelimit-remaining": "0" }, { names, now }), {
		remaining: 0,
		limit: null,
		resetAt: null,
	});
	const all = {
		"x-ratelimit-remaining": "12",
		"x-ratelimit-limit": "60",
		"x-ratelimit-reset": String(seconds + 30),
	};
	assert.deepEqual(readGauge(all, { names, now }), { remaining: 12, limit: 60, resetAt: now + 30_000 });
});

test("under a tenth of the reported or documented limit is low", () => {
	const gauge = (remaining: number, limit: number | null) => ({ remaining, limit, resetAt: null });
	assert.equal(isLow(null), false);
	assert.equal(isLow(gauge(6, 60)), false);
	assert.equal(isLow(gauge(5, 60)), true);
	assert.equal(isLow(gauge(500, null)), false);
	assert.equal(isLow(gauge(499, null)), true);
});

test("an invalid Date gives no time", () => {
	assert.equal(serverTimeOf({ date: "Sat, 21 Nov 2026 12:00:00 GMT" }), now);
	for (const headers of [
		{},
		{ date: "" },
		{ date: "now" },
		{ date: "1700000000" },
		{ date: "2026" },
		{ date: "12 5" },
		{ date: "32 Foo 2026" },
	]) {
		assert.equal(serverTimeOf(headers), null);
	}
});

test("a Retry-After of nothing says nothing: the next in the order is believed", () => {
	assert.equal(wait({ "retry-after": "0" }), 60_000);
	assert.equal(wait({ "retry-after": "0", "x-ratelimit-reset": String(seconds + 30) }), 30_000);
});

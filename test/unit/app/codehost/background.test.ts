import assert from "node:assert/strict";
import { test } from "node:test";
import { backgroundDelayMs, hasRoom } from "#app/codehost/background.ts";

const now = Date.UTC(2024, 0, 1);
const conditions = { focused: true, refused: false, rate: null, failures: 0, intervalMs: 60_000, now };
const rate = { gauge: null, low: false, lowUntil: null, closedUntil: null, stopped: false, stoppedUntil: null };
const gauge = { remaining: 10, limit: 5_000, resetAt: now + 600_000 };

test("nothing is refreshed while the window has no focus, or where it is not wanted", () => {
	assert.equal(backgroundDelayMs({ ...conditions, focused: false }, 0), null);
	assert.equal(backgroundDelayMs({ ...conditions, intervalMs: 0 }, 0), null);
	assert.equal(backgroundDelayMs({ ...conditions, intervalMs: Number.NaN }, 0), null);
});

test("windows that were opened together drift apart, and none is early", () => {
	assert.equal(backgroundDelayMs(conditions, 0), 60_000);
	assert.equal(backgroundDelayMs(conditions, 0.5), 66_000);
});

test("failures make it rarer, up to once an hour", () => {
	assert.equal(backgroundDelayMs({ ...conditions, failures: 3 }, 0), 480_000);
	assert.equal(backgroundDelayMs({ ...conditions, failures: 50 }, 0), 3_600_000);
	assert.equal(backgroundDelayMs({ ...conditions, intervalMs: 7_200_000, failures: 2 }, 0), 7_200_000);
});

test("a limit that is not reported does not stop it", () => {
	assert.equal(backgroundDelayMs({ ...conditions, rate }, 0), 60_000);
});

test("under a tenth of the limit nothing is asked before the window ends", () => {
	const low = { ...rate, low: true, gauge };
	assert.equal(backgroundDelayMs({ ...conditions, rate: { ...low, lowUntil: now + 600_000 } }, 0), 600_000);
	assert.equal(backgroundDelayMs({ ...conditions, rate: { ...low, lowUntil: now - 1 } }, 0), 60_000);
});

test("a limit that is used up is not asked again before it opens, and one that was given up not within a window", () => {
	assert.equal(backgroundDelayMs({ ...conditions, rate: { ...rate, closedUntil: now + 300_000 } }, 0), 300_000);
	const given = { ...rate, stopped: true, stoppedUntil: now + 3_600_000 };
	assert.equal(backgroundDelayMs({ ...conditions, rate: given }, 0), 3_600_000);
});

test("a credential that was refused is not tried again by itself", () => {
	assert.equal(backgroundDelayMs({ ...conditions, refused: true }, 0), null);
	assert.equal(hasRoom({ ...conditions, refused: true }), false);
});

test("there is room only with the focus, and while the limit is neither low nor used up", () => {
	assert.equal(hasRoom(conditions), true);
	assert.equal(hasRoom({ ...conditions, focused: false }), false);
	assert.equal(hasRoom({ ...conditions, rate }), true);
	assert.equal(hasRoom({ ...conditions, rate: { ...rate, low: true, gauge, lowUntil: now + 1 } }), false);
	assert.equal(hasRoom({ ...conditions, rate: { ...rate, closedUntil: now + 1 } }), false);
	assert.equal(hasRoom({ ...conditions, rate: { ...rate, stopped: true, stoppedUntil: now + 1 } }), false);
});

test("what has passed of the interval is not waited for again, but a limit's end is", () => {
	assert.equal(backgroundDelayMs({ ...conditions, elapsedMs: 20_000 }, 0), 40_000);
	assert.equal(backgroundDelayMs({ ...conditions, elapsedMs: 20_000 }, 0.5), 46_000);
	assert.equal(backgroundDelayMs({ ...conditions, elapsedMs: 600_000 }, 0.5), 0);
	assert.equal(
		backgroundDelayMs({ ...conditions, elapsedMs: 600_000, rate: { ...rate, closedUntil: now + 90_000 } }, 0),
		90_000,
	);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { BackgroundRefresh, backgroundDelayMs, leavesRoom } from "#app/codehost/background.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const conditions = { focused: true, intervalMs: 60_000, failures: 0 };
const rate = { gauge: null, low: false, closedUntil: null, stopped: false };

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

test("a limit that is low or used up leaves no room; one that is not reported does", () => {
	assert.equal(leavesRoom(null), true);
	assert.equal(leavesRoom(rate), true);
	assert.equal(leavesRoom({ ...rate, low: true }), false);
	assert.equal(leavesRoom({ ...rate, stopped: true }), false);
	assert.equal(leavesRoom({ ...rate, closedUntil: 1 }), false);
});

test("it refreshes one interval after the window has got the focus, again after each, and stops with it", async () => {
	const clock = new FakeClock();
	let refreshes = 0;
	const refresh = async () => {
		refreshes++;
		return refreshes !== 1;
	};
	const background = new BackgroundRefresh({ clock, intervalMs: () => 60_000, refresh });
	const wait = async (ms: number) => {
		clock.advance(ms);
		await new Promise(setImmediate);
		return refreshes;
	};
	assert.equal(await wait(1_000_000), 0);
	background.setFocused(true);
	assert.equal(await wait(65_000), 0);
	assert.equal(await wait(2_000), 1);
	// It failed: twice the interval.
	assert.equal(await wait(70_000), 1);
	assert.equal(await wait(65_000), 2);
	background.setFocused(false);
	assert.equal(await wait(1_000_000), 2);
	background.setFocused(true);
	background.dispose();
	assert.equal(await wait(1_000_000), 2);
	assert.equal(clock.waiting, 0);
});

test("a refresh under way when the window goes does not begin another", async () => {
	const clock = new FakeClock();
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const background = new BackgroundRefresh({ clock, intervalMs: () => 1_000, refresh: () => promise });
	background.setFocused(true);
	clock.advance(2_000);
	background.dispose();
	resolve(true);
	await new Promise(setImmediate);
	assert.equal(clock.waiting, 0);
});

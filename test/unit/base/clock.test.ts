import { strict as assert } from "node:assert";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { sleep, systemClock } from "#base/clock.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test("a system timer calls back once, and a disposed one never", async () => {
	let kept = 0;
	let cancelled = 0;
	systemClock.after(1, () => kept++);
	systemClock.after(1, () => cancelled++).dispose();
	await sleep(systemClock, 30);
	assert.deepEqual([kept, cancelled], [1, 0]);
});

test("a wait beyond the longest timer of the platform does not end at once", async () => {
	let ended = false;
	const timer = systemClock.after(2 ** 31 + 5, () => {
		ended = true;
	});
	await sleep(systemClock, 20);
	timer.dispose();
	assert.equal(ended, false);
});

test("a sleep under an aborted signal rejects with its reason and starts no timer", async () => {
	const clock = new FakeClock();
	await assert.rejects(sleep(clock, 10, AbortSignal.abort("gone")), (reason) => reason === "gone");
	assert.equal(clock.waiting, 0);
});

test("a sleep rejects as soon as the signal aborts, and cancels its timer", async () => {
	const clock = new FakeClock();
	const controller = new AbortController();
	const sleeping = sleep(clock, 10, controller.signal);
	assert.equal(clock.waiting, 1);
	controller.abort("now");
	await assert.rejects(sleeping, (reason) => reason === "now");
	assert.equal(clock.waiting, 0);
});

test("a sleep that ended leaves nothing on the signal", async () => {
	const clock = new FakeClock();
	const { signal } = new AbortController();
	const sleeping = sleep(clock, 10, signal);
	assert.equal(getEventListeners(signal, "abort").length, 1);
	clock.advance(10);
	await sleeping;
	assert.equal(getEventListeners(signal, "abort").length, 0);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { type SilenceLimits, watchSilence } from "#api/messages/silence.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

function watch(own: Partial<SilenceLimits> = {}) {
	const limits = { silenceNoticeMs: 30_000, firstByteMs: 60_000, silenceLimitMs: 60_000, ...own };
	const clock = new FakeClock();
	const told: (number | null | string)[] = [];
	const listener = {
		onSilence: (ms: number | null) => told.push(ms),
		onLimit: (ms: number) => told.push(`limit ${ms}`),
	};
	return { clock, told, silence: watchSilence(clock, limits, listener) };
}

test("silence is reported once a second from the notice to the limit", () => {
	const { clock, told } = watch();
	clock.advance(29_999);
	assert.deepEqual(told, []);
	clock.advance(300_000);
	const reports = Array.from({ length: 30 }, (_, second) => 30_000 + 1_000 * second);
	assert.deepEqual(told, [...reports, "limit 60000"]);
	assert.equal(clock.waiting, 0);
});

test("anything heard before the notice starts the silence anew without a word", () => {
	const { clock, told, silence } = watch();
	for (let count = 0; count < 10; count++) {
		clock.advance(20_000);
		silence.hear({ isBody: true });
	}
	assert.deepEqual(told, []);
	clock.advance(30_000);
	assert.deepEqual(told, [30_000]);
});

test("the end of a reported silence is reported once", () => {
	const { clock, told, silence } = watch();
	clock.advance(31_000);
	silence.hear({ isBody: true });
	silence.hear();
	assert.deepEqual(told, [30_000, 31_000, null]);
	clock.advance(30_000);
	assert.deepEqual(told.slice(3), [30_000]);
});

test("one timer at most, and none after disposal", () => {
	const { clock, told, silence } = watch();
	for (let count = 0; count < 1_000; count++) silence.hear();
	assert.equal(clock.waiting, 1);
	silence.dispose();
	clock.advance(100_000);
	assert.deepEqual(told, []);
});

test("a notice later than the limit is never given", () => {
	const { clock, told } = watch({ silenceNoticeMs: 10_000, firstByteMs: 2_000 });
	clock.advance(20_000);
	assert.deepEqual(told, ["limit 2000"]);
});

test("signs of life end a silence, but only the body gives a reply more time", () => {
	const { clock, told, silence } = watch({ silenceNoticeMs: 900_000, firstByteMs: 600_000, silenceLimitMs: 60_000 });
	const live = (seconds: number) => {
		for (let second = 0; second < seconds; second++) {
			clock.advance(1_000);
			silence.hear();
		}
	};
	live(599);
	silence.hear({ isBody: true });
	live(59);
	assert.deepEqual(told, []);
	live(1);
	assert.deepEqual(told, ["limit 60000"]);
	const endless = watch({ firstByteMs: 60_000 });
	for (let count = 0; count < 60; count++) {
		endless.silence.hear();
		endless.clock.advance(1_000);
	}
	assert.deepEqual(endless.told, ["limit 60000"]);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { SilenceWatch } from "#api/messages/silence.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

function watch(limits = { silenceNoticeMs: 30_000, silenceLimitMs: 60_000 }) {
	const clock = new FakeClock();
	const told: (number | null | "limit")[] = [];
	const listener = { onSilence: (ms: number | null) => told.push(ms), onLimit: () => told.push("limit") };
	return { clock, told, silence: new SilenceWatch(clock, { limits, listener }) };
}

test("silence is spoken of from the notice on, once a second, up to the limit, then no more", () => {
	const { clock, told } = watch();
	clock.advance(29_999);
	assert.deepEqual(told, []);
	clock.advance(300_000);
	const reports = Array.from({ length: 30 }, (_, second) => 30_000 + 1_000 * second);
	assert.deepEqual(told, [...reports, "limit"]);
	assert.equal(clock.waiting, 0);
});

test("anything heard before the notice starts the silence anew without a word", () => {
	const { clock, told, silence } = watch();
	for (let count = 0; count < 10; count++) {
		clock.advance(20_000);
		silence.hear();
	}
	assert.deepEqual(told, []);
	clock.advance(30_000);
	assert.deepEqual(told, [30_000]);
});

test("the end of a silence that was spoken of is told once", () => {
	const { clock, told, silence } = watch();
	clock.advance(31_000);
	silence.hear();
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
	const { clock, told } = watch({ silenceNoticeMs: 10_000, silenceLimitMs: 2_000 });
	clock.advance(20_000);
	assert.deepEqual(told, ["limit"]);
});

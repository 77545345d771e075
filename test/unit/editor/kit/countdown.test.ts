import assert from "node:assert/strict";
import { test } from "node:test";
import { countdownTo } from "#editor/kit/countdown.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

for (const [what, seconds, passed, drawn] of [
	["seconds are drawn each second until the time has come", [111], 200, 111],
	["minutes are drawn twice a minute", [720], 300, 10],
	["what goes on without an end is drawn twice a minute", [Number.POSITIVE_INFINITY], 300, 10],
	["what is over, or has no end, is not waited for", [-1, null], 60, 0],
	["of several the first sets the pace, and the last the end", [1, 3], 60, 3],
] as const) {
	test(what, () => {
		const clock = new FakeClock();
		const begun = clock.now();
		const ends = () => seconds.map((each) => (each === null ? null : begun + each * 1_000));
		let count = 0;
		const countdown = countdownTo(clock, ends, () => {
			count += 1;
		});
		countdown.plan();
		clock.advance(passed * 1_000);
		assert.equal(count, drawn);
		assert.equal(clock.waiting, passed > Math.max(...seconds.map(Number)) ? 0 : 1);
		countdown.dispose();
		assert.equal(clock.waiting, 0);
	});
}

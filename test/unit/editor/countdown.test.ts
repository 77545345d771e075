import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Countdown } from "#editor/countdown.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** Counts down to what ends in so many seconds, by name; `drawn` has how many seconds were left of each. */
function counted(context: TestContext, seconds: Record<string, number>) {
	const clock = new FakeClock();
	const ends = new Map(Object.entries(seconds).map(([what, left]) => [what, clock.now() + left * 1_000]));
	const drawn: string[] = [];
	const waits = () => [...ends].map(([what, until]) => ({ what, until }));
	const left = (what: string) => Math.max(0, ((ends.get(what) ?? 0) - clock.now()) / 1_000);
	const countdown = new Countdown<string>({ clock, waits, draw: (what) => drawn.push(`${what} ${left(what)}`) });
	context.after(() => countdown.dispose());
	countdown.plan();
	return { clock, ends, drawn, countdown };
}

test("the time that is left is drawn each second, until it has come", (context) => {
	const { clock, drawn } = counted(context, { a: 111 });
	clock.advance(35_000);
	assert.equal(drawn.length, 35);
	assert.equal(drawn.at(-1), "a 76");
	clock.advance(76_000);
	assert.equal(drawn.at(-1), "a 0");
	clock.advance(60_000);
	assert.equal(drawn.length, 111);
});

test("minutes are not drawn each second", (context) => {
	const { clock, drawn } = counted(context, { a: 720 });
	clock.advance(300_000);
	assert.equal(drawn.length, 10);
	assert.equal(drawn.at(-1), "a 420");
});

test("what is over, or was never to come, is drawn no more beside what still is", (context) => {
	const { clock, drawn } = counted(context, { over: -1, a: 1, b: 3 });
	clock.advance(10_000);
	assert.deepEqual(drawn, ["a 0", "b 2", "b 1", "b 0"]);
});

test("what was mended is not counted down, what comes later is, and nothing after the end", (context) => {
	const { clock, ends, drawn, countdown } = counted(context, { a: 111 });
	clock.advance(1_000);
	ends.clear();
	countdown.plan();
	clock.advance(10_000);
	assert.equal(drawn.length, 1);
	ends.set("b", clock.now() + 5_000);
	countdown.plan();
	clock.advance(2_000);
	assert.deepEqual(drawn.slice(1), ["b 4", "b 3"]);
	countdown.dispose();
	clock.advance(10_000);
	assert.equal(drawn.length, 3);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Coalescer } from "#base/coalescer.ts";
import { FakeClock } from "../../support/fake-clock.ts";

function coalescer() {
	const clock = new FakeClock();
	const told: string[] = [];
	return {
		clock,
		told,
		said: new Coalescer<string>(clock, 100, (value) => told.push(`${value} ${clock.monotonic()}`)),
	};
}

test("what is said once is told at once, and only once", () => {
	const { clock, told, said } = coalescer();
	said.say("a");
	assert.deepEqual(told, ["a 0"]);
	clock.advance(1_000);
	assert.deepEqual(told, ["a 0"]);
	assert.equal(clock.waiting, 0);
});

test("what is said many times is told at once and then once an interval, the last time included", () => {
	const { clock, told, said } = coalescer();
	for (let at = 0; at < 250; at += 10) {
		said.say("a");
		clock.advance(10);
	}
	clock.advance(1_000);
	assert.deepEqual(told, ["a 0", "a 100", "a 200", "a 300"]);
	said.say("a");
	assert.equal(told.at(-1), "a 1250");
});

test("one value does not wait for another", () => {
	const { told, said } = coalescer();
	for (const value of ["a", "b", "a", "c"]) said.say(value);
	assert.deepEqual(told, ["a 0", "b 0", "c 0"]);
});

test("who says a thing again while hearing it is told at the end of the interval", () => {
	const clock = new FakeClock();
	let told = 0;
	const said: Coalescer<string> = new Coalescer<string>(clock, 100, () => {
		told += 1;
		if (told < 3) said.say("a");
	});
	said.say("a");
	assert.equal(told, 1);
	clock.advance(1_000);
	assert.equal(told, 3);
});

test("nothing is told any more after the end, and no timer is left", () => {
	const { clock, told, said } = coalescer();
	said.say("a");
	said.say("a");
	said.dispose();
	said.say("b");
	clock.advance(1_000);
	assert.deepEqual([told, clock.waiting], [["a 0"], 0]);
});

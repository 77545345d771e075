import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Pace } from "#app/petstore/pace.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

function paced() {
	const clock = new FakeClock();
	const begun: number[] = [];
	const stale: boolean[] = [];
	let end = () => {};
	const run = async (isStale: () => boolean) => {
		begun.push(clock.monotonic());
		await new Promise<void>((resolve) => {
			end = resolve;
		});
		stale.push(isStale());
	};
	const pace = new Pace({ clock, quietMs: 200, run });
	const finish = async () => {
		end();
		await turn();
	};
	return { clock, pace, begun, stale, finish };
}

test("of many changes in a row the last one counts", () => {
	const { clock, pace, begun } = paced();
	for (let count = 0; count < 5; count++) {
		pace.again();
		clock.advance(150);
	}
	assert.deepEqual(begun, []);
	clock.advance(1_000);
	assert.deepEqual(begun, [800]);
});

test("between two there is a rest of a second, and never are two under way", async () => {
	const { clock, pace, begun, stale, finish } = paced();
	pace.again();
	clock.advance(200);
	pace.again();
	clock.advance(5_000);
	assert.deepEqual(begun, [200]);
	await finish();
	assert.deepEqual(stale, [true], "something has changed since it was begun");
	clock.advance(999);
	assert.deepEqual(begun, [200]);
	clock.advance(1);
	assert.deepEqual(begun, [200, 6_200]);
	await finish();
	assert.deepEqual(stale, [true, false]);
	clock.advance(9_000);
	assert.equal(begun.length, 2);
});

test("what is under way when it is disposed is stale, and nothing follows", async () => {
	const { clock, pace, begun, stale, finish } = paced();
	pace.again();
	clock.advance(200);
	pace.again();
	pace.dispose();
	await finish();
	pace.again();
	pace.dispose();
	clock.advance(9_000);
	assert.deepEqual([begun, stale], [[200], [true]]);
});

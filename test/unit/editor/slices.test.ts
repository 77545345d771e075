import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Slices } from "#editor/slices.ts";

test("a few pieces are done on the spot", () => {
	const slices = new Slices();
	assert.deepEqual(
		Array.from({ length: 100 }, (_, index) => slices.run(() => index)),
		Array.from({ length: 100 }, (_, index) => index),
	);
});

test("of thousands that come at once no turn does more than some hundred, and all are done in order", async () => {
	const slices = new Slices();
	const done: number[] = [];
	const all = Promise.all(Array.from({ length: 3_000 }, (_, index) => slices.run(() => done.push(index))));
	const turns: number[] = [];
	while (done.length < 3_000) {
		const before = done.length;
		await nextTurn();
		turns.push(done.length - before);
	}
	await all;
	assert.ok(Math.max(...turns) <= 200, `${Math.max(...turns)} in a turn`);
	assert.deepEqual(
		done,
		Array.from({ length: 3_000 }, (_, index) => index),
	);
});

test("a piece that comes while others wait is not done before them", async () => {
	const slices = new Slices();
	const done: number[] = [];
	for (let index = 0; index < 300; index++) void slices.run(() => done.push(index));
	await nextTurn();
	await slices.run(() => done.push(300));
	assert.deepEqual(
		done,
		Array.from({ length: 301 }, (_, index) => index),
	);
});

test("a piece that throws fails for the one who asked for it only", async () => {
	const slices = new Slices();
	const broken = () => {
		throw new Error("broken");
	};
	assert.throws(() => slices.run(broken));
	const waiting = Array.from({ length: 201 }, (_, index) =>
		index === 200 ? slices.run(broken) : slices.run(() => index),
	);
	const after = slices.run(() => "after");
	await assert.rejects(async () => waiting.at(-1), /broken/);
	assert.equal(await after, "after");
});

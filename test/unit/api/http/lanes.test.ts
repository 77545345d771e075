import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Lanes, OriginLanes } from "#api/http/lanes.ts";

test("only so many are in the lanes at once, and the others follow in the order they came", async () => {
	const lanes = new Lanes(2);
	const order: number[] = [];
	const frees = new Map<number, () => void>();
	for (const id of [1, 2, 3, 4, 5]) {
		void lanes.enter().then((free) => {
			order.push(id);
			frees.set(id, free);
		});
	}
	await nextTurn();
	assert.deepEqual(order, [1, 2]);
	frees.get(2)?.();
	frees.get(2)?.();
	await nextTurn();
	assert.deepEqual(order, [1, 2, 3], "a lane is freed once, however often it is said");
	frees.get(1)?.();
	frees.get(3)?.();
	await nextTurn();
	assert.deepEqual(order, [1, 2, 3, 4, 5]);
});

test("a caller that leaves the queue early is skipped and takes no lane", async () => {
	const lanes = new Lanes(1);
	const free = await lanes.enter();
	const cut = new AbortController();
	const impatient = lanes.enter(cut.signal);
	const patient = lanes.enter();
	cut.abort(new Error("enough"));
	await assert.rejects(impatient, /enough/);
	free();
	(await patient)();
	(await lanes.enter())();
});

test("clients of one origin share its lanes, those of another have their own", () => {
	const lanes = new OriginLanes(1);
	assert.equal(lanes.of("https://a"), lanes.of("https://a"));
	assert.notEqual(lanes.of("https://a"), lanes.of("https://b"));
});

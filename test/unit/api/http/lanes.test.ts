import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Lanes, OriginLanes } from "#api/http/lanes.ts";

test("only so many are in the lanes at once, and the others follow in the order they came", async () => {
	const lanes = new Lanes({ most: 2, mostConditional: 3 });
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

test("a few more requests that only ask for changes may run, but they pass nobody who waits", async () => {
	const lanes = new Lanes({ most: 1, mostConditional: 2 });
	const order: string[] = [];
	const enter = (name: string, conditional: boolean) =>
		lanes.enter({ conditional }).then((free) => {
			order.push(name);
			return free;
		});
	const [first, second] = [await enter("read", false), await enter("check", true)];
	const [read, check] = [enter("waiting read", false), enter("waiting check", true)];
	first();
	await nextTurn();
	assert.deepEqual(order, ["read", "check"]);
	second();
	await Promise.all([read, check]);
	assert.deepEqual(order, ["read", "check", "waiting read", "waiting check"]);
});

test("a free lane is not given past one who waits for the lanes to empty", async () => {
	const lanes = new Lanes({ most: 1, mostConditional: 2 });
	const free = await lanes.enter();
	const order: string[] = [];
	const read = lanes.enter().then((leave) => {
		order.push("read");
		leave();
	});
	const check = lanes.enter({ conditional: true }).then(() => order.push("check"));
	await nextTurn();
	assert.deepEqual(order, []);
	free();
	await Promise.all([read, check]);
	assert.deepEqual(order, ["read", "check"]);
});

test("who leaves the queue early is passed over and takes no lane along", async () => {
	const lanes = new Lanes({ most: 1, mostConditional: 1 });
	const free = await lanes.enter();
	const cut = new AbortController();
	const impatient = lanes.enter({ signal: cut.signal });
	const patient = lanes.enter();
	cut.abort(new Error("enough"));
	await assert.rejects(impatient, /enough/);
	free();
	(await patient)();
	(await lanes.enter())();
});

test("clients of one origin share its lanes, those of another have their own", () => {
	const lanes = new OriginLanes({ most: 1, mostConditional: 1 });
	assert.equal(lanes.of("https://a"), lanes.of("https://a"));
	assert.notEqual(lanes.of("https://a"), lanes.of("https://b"));
});

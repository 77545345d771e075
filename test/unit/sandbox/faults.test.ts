import { strict as assert } from "node:assert";
import { test } from "node:test";
import { FaultCounts, spoil } from "#sandbox/faults.ts";

const hits = (count: number, hit: () => string | undefined) => Array.from({ length: count }, hit);

test("faults of different kinds come one after the other, each as often as asked", () => {
	const counts = new FaultCounts();
	const behaviour = { drop: 1, fail: { status: 500, times: 2 }, redirect: { times: 1 } };
	assert.deepEqual(
		hits(6, () => counts.hit(behaviour, undefined)),
		["drop", "fail", "fail", "redirect", undefined, undefined],
	);
	counts.restart();
	assert.equal(counts.hit(behaviour, undefined), "drop");
	assert.deepEqual(
		hits(3, () => counts.hit({ fail: { status: 500 } }, "never ends")),
		["fail", "fail", "fail"],
	);
});

test("requests of different keys are counted apart, also from the standing behavior", () => {
	const counts = new FaultCounts();
	const behaviour = { drop: 1 };
	for (const key of ["a", "b", undefined]) assert.equal(counts.hit(behaviour, key), "drop", key);
	for (const key of ["a", "b", undefined]) assert.equal(counts.hit(behaviour, key), undefined, key);
	assert.equal(counts.hit(behaviour, "a"), "drop");
	assert.equal(counts.hit(behaviour, undefined), undefined);
});

test("a field is replaced, added or left out, and everything else stays", () => {
	const body = { a: 1, b: 2 };
	assert.deepEqual(spoil(body, { field: "a", value: null }, 0), { a: null, b: 2 });
	assert.deepEqual(spoil(body, { field: "c", value: [] }, 0), { a: 1, b: 2, c: [] });
	assert.deepEqual(spoil(body, { field: "a" }, 0), { b: 2 });
	assert.deepEqual(body, { a: 1, b: 2 });
});

test("a spoiled list has one wrong item, counted over all pages, or only wrong ones", () => {
	const list = [{ a: 1 }, { a: 2 }, { a: 3 }];
	assert.deepEqual(spoil(list, { at: 11, field: "a" }, 10), [{ a: 1 }, {}, { a: 3 }]);
	assert.deepEqual(spoil(list, { at: 1, field: "a" }, 10), list);
	assert.deepEqual(spoil(list, { field: "a" }, 10), [{}, {}, {}]);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { FaultCounts } from "#sandbox/fault-counts.ts";

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
});

test("a fault without a number never ends", () => {
	const counts = new FaultCounts();
	assert.deepEqual(
		hits(3, () => counts.hit({ fail: { status: 500 } }, undefined)),
		["fail", "fail", "fail"],
	);
});

test("headers of different text are counted apart, also from the standing behaviour", () => {
	const counts = new FaultCounts();
	const behaviour = { drop: 1 };
	for (const header of ["a", "b", undefined]) assert.equal(counts.hit(behaviour, header), "drop", header);
	for (const header of ["a", "b", undefined]) assert.equal(counts.hit(behaviour, header), undefined, header);
	assert.equal(counts.hit(behaviour, "a"), "drop");
	assert.equal(counts.hit(behaviour, undefined), undefined);
});

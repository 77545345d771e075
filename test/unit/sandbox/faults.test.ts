import { strict as assert } from "node:assert";
import { test } from "node:test";
import { FaultCounts } from "#sandbox/faults.ts";

const hits = (count: number, hit: () => string | undefined) => Array.from({ length: count }, hit);

test("faults of different kinds come one after the other, each as often as asked", () => {
	const counts = new FaultCounts();
	const faults = { drop: 1, fail: { status: 500, times: 2 } };
	assert.deepEqual(
		hits(5, () => counts.hit(faults, undefined)),
		["drop", "fail", "fail", undefined, undefined],
	);
	counts.restart();
	assert.equal(counts.hit(faults, undefined), "drop");
	assert.deepEqual(
		hits(3, () => counts.hit({ fail: { status: 500 } }, "never ends")),
		["fail", "fail", "fail"],
	);
});

test("requests of different keys are counted apart, also from the standing faults", () => {
	const counts = new FaultCounts();
	const faults = { drop: 1 };
	for (const key of ["a", "b", undefined]) assert.equal(counts.hit(faults, key), "drop", key);
	for (const key of ["a", "b", undefined]) assert.equal(counts.hit(faults, key), undefined, key);
	assert.equal(counts.hit(faults, "a"), "drop");
	assert.equal(counts.hit(faults, undefined), undefined);
});

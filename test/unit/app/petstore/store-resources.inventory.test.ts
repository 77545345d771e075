import assert from "node:assert/strict";
import { test } from "node:test";
import { countsOf, totalOf } from "#app/petstore/store-resources.ts";

test("statuses of the contract come first, then the others by number of pets", () => {
	const inventory = { sold: 7, adopted: 2, available: 12, "in quarantine": 30, zoo: 2 };
	assert.deepEqual(
		countsOf(inventory).map(({ status, count }) => [status, count]),
		[
			...[
				["available", 12],
				["pending", 0],
				["sold", 7],
				["in quarantine", 30],
			],
			...[
				["adopted", 2],
				["zoo", 2],
			],
		],
	);
	assert.equal(totalOf(inventory), 53);
	assert.equal(totalOf({}), 0);
});

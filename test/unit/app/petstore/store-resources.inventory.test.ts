import assert from "node:assert/strict";
import { test } from "node:test";
import { afterPause, countsOf, totalOf } from "#app/petstore/store-resources.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

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

test("the window's focus refreshes after a pause of the set time, and never for 0", () => {
	const clock = new FakeClock();
	let [ms, refreshed] = [300_000, 0];
	const heard = afterPause(
		clock,
		() => ms,
		() => {
			refreshed += 1;
		},
	);
	const away = (time: number) => {
		heard(false);
		clock.sleep(time);
		heard(true);
		return refreshed;
	};
	assert.deepEqual([away(299_999), away(300_000), away(1_000)], [0, 1, 1]);
	ms = 0;
	assert.equal(away(9_000_000), 1);
});

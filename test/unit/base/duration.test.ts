import assert from "node:assert/strict";
import { test } from "node:test";
import { msInWords } from "#base/duration.ts";

test("durations are shown in the unit that is precise enough", () => {
	assert.deepEqual(
		[-5, 1_000, 89_000, 52 * 60_000, 3 * 3_600_000, 6 * 86_400_000].map((ms) => msInWords(ms)),
		["0 s", "1 s", "89 s", "52 min", "3 h", "6 days"],
	);
});

test("a moment more or less than whole minutes is rounded to them", () => {
	assert.deepEqual(
		[299_001, 300_000, 300_400, 329_000].map((ms) => msInWords(ms)),
		["5 min", "5 min", "5 min", "5 min"],
	);
});

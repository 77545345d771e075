import assert from "node:assert/strict";
import { test } from "node:test";
import { msInWords, timeAgo } from "#base/duration.ts";

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

test("a time is told in the largest unit that has passed, and one ahead is now", () => {
	const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
	const told = (ms: number) => timeAgo(0, ms);
	assert.deepEqual([-day, 0, minute - 1].map(told), ["just now", "just now", "just now"]);
	assert.deepEqual([minute, 59 * minute, hour, 23.9 * hour].map(told), [
		"1 minute ago",
		"59 minutes ago",
		"1 hour ago",
		"23 hours ago",
	]);
	assert.deepEqual([day, 30 * day, 31 * day, 400 * day].map(told), [
		"1 day ago",
		"30 days ago",
		"1 month ago",
		"1 year ago",
	]);
});

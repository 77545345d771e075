import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedStart } from "#base/shared-start.ts";

test("a start is shared by all callers, and a failed one is retried", async () => {
	let starts = 0;
	const use = sharedStart(async () => {
		starts += 1;
		if (starts === 1) throw new Error("not this time");
		return starts;
	});
	const [first, other] = [use(), use()];
	for (const each of [first, other]) await assert.rejects(each, /not this time/);
	assert.deepEqual([await use(), await use(), starts], [2, 2, 2]);
});

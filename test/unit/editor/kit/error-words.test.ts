import assert from "node:assert/strict";
import { test } from "node:test";
import { describeWait } from "#editor/kit/error-words.ts";

test("a wait is described by its remaining time and its cause", () => {
	const said = (why: "rate-limit" | "retry" | "new-token") =>
		describeWait({ why, until: 3_000 }, { label: "acme", now: 0 });
	assert.equal(said("rate-limit"), "Resuming in 3 s: rate limit of acme reached.");
	assert.equal(said("retry"), "Retrying in 3 s: acme failed.");
	assert.equal(said("new-token"), "Retrying in 3 s: acme is still activating the new token.");
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { sentenceOfStatus, withFacts } from "#api/http/fault.ts";
import { ClientError } from "#base/errors.ts";

test("further facts leave the known ones alone", () => {
	const error = new ClientError("codehost", "not-found", "Not Found", { status: 404 });
	const more = withFacts(error, { reason: "not-installed", retryAfterMs: 5 });
	assert.deepEqual(
		[more.code, more.status, more.reason, more.retryAfterMs, more.message],
		["not-found", 404, "not-installed", 5, "Not Found"],
	);
});

test("a status speaks for a reply that says nothing", () => {
	assert.equal(sentenceOfStatus(500), "The service answered with status 500.");
	assert.match(sentenceOfStatus(302), /redirects to another address/);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { codeOfStatus } from "#api/http/failure.ts";
import { isAbsent, sentenceOfStatus, withFacts } from "#api/http/fault.ts";
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

test("only a service that says that there is no such thing has said that it is absent", () => {
	const withStatus = (status: number) => new ClientError("petstore", codeOfStatus(status), "", { status });
	assert.deepEqual([404, 410].map(withStatus).map(isAbsent), [true, true]);
	assert.deepEqual([301, 302, 307, 400, 405, 500].map(withStatus).map(isAbsent), Array(6).fill(false));
	assert.equal(isAbsent(new Error("404")), false);
});

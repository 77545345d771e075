import { strict as assert } from "node:assert";
import { test } from "node:test";
import { codeOfStatus } from "#api/http/failure.ts";
import { isAbsent, sentenceOfStatus } from "#api/http/fault.ts";
import { ClientError } from "#base/errors.ts";

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

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { ClientError, invalid, withFacts } from "#base/errors.ts";

test("a fact of an error that is not known is undefined, and a falsy one is kept", () => {
	const error = new ClientError("petstore", "network", "x", { status: 0, cause: null });
	assert.ok(error instanceof Error);
	assert.deepEqual([error.status, error.cause, error.field], [0, null, undefined]);
	assert.ok(!Object.hasOwn(new ClientError("codehost", "network", "No connection."), "cause"));
});

test("a refused argument names its field in the message and apart", () => {
	const error = invalid("messages", "max_tokens", "must be at least 1");
	assert.deepEqual(
		[error.code, error.field, error.message],
		["invalid", "max_tokens", "max_tokens must be at least 1"],
	);
});

test("further facts leave the known ones alone", () => {
	const error = new ClientError("codehost", "not-found", "Not Found", { status: 404 });
	const more = withFacts(error, { reason: "not-installed", retryAfterMs: 5 });
	assert.deepEqual(
		[more.code, more.status, more.reason, more.retryAfterMs, more.message],
		["not-found", 404, "not-installed", 5, "Not Found"],
	);
	const lost = new ClientError("petstore", "network", "It was not reached: refused", { said: "refused" });
	assert.equal(withFacts(lost, { status: 502 }).said, "refused");
	assert.equal(withFacts(lost, {}, "The pet is gone").said, undefined, "another message has other words");
});

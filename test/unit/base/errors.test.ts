import { strict as assert } from "node:assert";
import { test } from "node:test";
import { ClientError, invalid, withFacts } from "#base/errors.ts";

test("a client error is an Error with its service, its code and every given fact", () => {
	const cause = new Error("beneath");
	const error = new ClientError("messages", "rate-limited", "Too many requests.", {
		status: 429,
		retryAfterMs: 1500,
		requestId: "r-1",
		field: "x",
		cause,
	});
	assert.ok(error instanceof Error);
	assert.equal(error.name, "ClientError");
	assert.equal(error.message, "Too many requests.");
	assert.deepEqual(
		[error.service, error.code, error.status, error.retryAfterMs, error.requestId, error.field, error.cause],
		["messages", "rate-limited", 429, 1500, "r-1", "x", cause],
	);
});

test("a fact that is not known is undefined, and no cause is not a cause", () => {
	const error = new ClientError("codehost", "network", "No connection.");
	assert.deepEqual(
		[error.status, error.retryAfterMs, error.requestId, error.field],
		[undefined, undefined, undefined, undefined],
	);
	assert.ok(!Object.hasOwn(error, "cause"));
});

test("a falsy fact is kept: status 0, a wait of 0 and a cause of null are facts", () => {
	const error = new ClientError("petstore", "network", "x", { status: 0, retryAfterMs: 0, cause: null });
	assert.deepEqual([error.status, error.retryAfterMs], [0, 0]);
	assert.ok(Object.hasOwn(error, "cause"));
	assert.equal(error.cause, null);
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
});

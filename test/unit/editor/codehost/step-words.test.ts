import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError, type ErrorCode, type ErrorFacts } from "#base/errors.ts";
import { describeStep } from "#editor/codehost/step-words.ts";

test("a step of a test that failed has the fix of its own reason, and only a refused credential is to be replaced", () => {
	const step = (name: "auth" | "read", code: ErrorCode, facts: ErrorFacts = {}) => {
		const error = new ClientError("codehost", code, "Said the service", facts);
		return describeStep({ name, state: "failed", detail: error.message, ms: 1, error }, "GitHub");
	};
	const failed = [
		step("auth", "unauthorized", { status: 401 }),
		step("auth", "forbidden", { status: 403, reason: "suspended" }),
		step("auth", "unauthorized", { status: 401, reason: "clock-skew" }),
		step("auth", "not-found", { status: 404, reason: "not-installed" }),
		step("auth", "network"),
		step("read", "not-found", { status: 404 }),
		step("read", "forbidden", { status: 403 }),
		// It was taken a moment ago.
		step("read", "unauthorized", { status: 401 }),
	];
	assert.equal(new Set(failed.map(({ fix }) => fix)).size, failed.length);
	assert.deepEqual(
		failed.map(({ remedy }) => remedy === "replace"),
		[true, false, false, false, false, false, false, false],
	);
	assert.doesNotMatch(step("auth", "timeout").fix ?? "", /Test Connection|test the connection/);
});

test("a step that did not fail has no fix, and what is wrong on the way has that of its step", () => {
	const fixOf = (name: "dns" | "tls" | "clock", state: "ok" | "failed" | "skipped") =>
		describeStep({ name, state, detail: "x", ms: 1 }, "GitHub").fix;
	for (const name of ["dns", "tls", "clock"] as const) {
		assert.equal(fixOf(name, "ok"), undefined);
		assert.equal(fixOf(name, "skipped"), undefined);
		assert.match(fixOf(name, "failed") ?? "", /\.$/);
	}
});

test("of a step that a limit kept back it is said when it can be asked again, and nothing of the credential", () => {
	for (const facts of [{ retryAfterMs: 40_000 }, { retryAfterMs: 40_000, status: 403 }]) {
		const error = new ClientError("codehost", "rate-limited", "The limit is used up.", facts);
		const { fix } = describeStep({ name: "auth", state: "skipped", detail: "x", ms: 1, error }, "GitHub");
		assert.equal(fix, "It can be asked again in 40 s.");
	}
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError, type ErrorCode, type ErrorFacts } from "#base/errors.ts";
import { describeStep } from "#editor/words/step-words.ts";

const GITHUB = { label: "GitHub", baseUrl: "https://api.github.com" };

test("each failed step has its own fix, and only a refused credential is replaced", () => {
	const step = (name: "auth" | "read", code: ErrorCode, facts: ErrorFacts = {}) => {
		const error = new ClientError("codehost", code, "Said the service", facts);
		const [first] = describeStep({ name, state: "failed", detail: error.message, ms: 1, error }, GITHUB);
		return first ?? assert.fail();
	};
	const failed = [
		step("auth", "unauthorized", { status: 401 }),
		step("auth", "forbidden", { status: 403, reason: "suspended" }),
		step("auth", "unauthorized", { status: 401, reason: "clock-skew" }),
		step("auth", "not-found", { status: 404, reason: "not-installed" }),
		step("auth", "network"),
		step("read", "not-found", { status: 404 }),
		step("read", "forbidden", { status: 403 }),
		step("read", "unauthorized", { status: 401, reason: "repository-refused" }),
	];
	assert.equal(new Set(failed.map(({ fix }) => fix)).size, failed.length);
	assert.deepEqual(
		failed.map(({ remedy }) => remedy === "replace"),
		[true, false, false, false, false, false, false, false],
	);
	assert.doesNotMatch(step("auth", "timeout").fix ?? "", /Test Connection|test the connection/);
});

test("only a failed step has a fix", () => {
	const fixOf = (name: "dns" | "tls" | "clock", state: "ok" | "failed" | "skipped") =>
		describeStep({ name, state, detail: "x", ms: 1 }, GITHUB)[0]?.fix;
	for (const name of ["dns", "tls", "clock"] as const) {
		assert.equal(fixOf(name, "ok"), undefined);
		assert.equal(fixOf(name, "skipped"), undefined);
		assert.match(fixOf(name, "failed") ?? "", /\.$/);
	}
});

test("without TLS no fix names certificates, and an unreachable host offers Edit", () => {
	const wordsOf = (baseUrl: string) =>
		(["dns", "tls"] as const).flatMap((name) =>
			describeStep({ name, state: "failed", detail: "x", ms: 1 }, { label: "GitHub", baseUrl }),
		);
	const [open, encrypted] = [wordsOf("http://127.0.0.1:8080"), wordsOf("https://127.0.0.1:8080")];
	assert.deepEqual([open[1]?.label, encrypted[1]?.label], ["Reached", "Reached (TLS)"]);
	assert.doesNotMatch(open[1]?.fix ?? "", /certificate/);
	assert.match(encrypted[1]?.fix ?? "", /certificate/);
	for (const { remedy } of [...open, ...encrypted]) assert.equal(remedy, "edit");
});

test("a rate-limited step says when to try again, and nothing of the credential", () => {
	for (const facts of [{ retryAfterMs: 40_000 }, { retryAfterMs: 40_000, status: 403 }]) {
		const error = new ClientError("codehost", "rate-limited", "The limit is used up.", facts);
		const rows = describeStep({ name: "auth", state: "skipped", detail: "x", ms: 1, error }, GITHUB);
		assert.deepEqual(
			rows.map(({ fix }) => fix),
			["Try again in 40 s."],
		);
	}
});

test("only a refusal of the credential marks the credential, and others the answer", () => {
	const rowsOf = (code: ErrorCode, facts: ErrorFacts = {}) => {
		const error = new ClientError("codehost", code, "Said the service", facts);
		const rows = describeStep({ name: "auth", state: "failed", detail: error.message, ms: 1, error }, GITHUB);
		return rows.map(({ state, label }) => `${label} ${state}`);
	};
	for (const [code, facts] of [
		["unauthorized", { status: 401 }],
		["unauthorized", { field: "token" }],
		["forbidden", { status: 403 }],
		["not-found", { status: 404, reason: "app-refused" }],
		["invalid", { reason: "other-origin" }],
	] as const) {
		assert.deepEqual(rowsOf(code, facts), ["Credential accepted failed"], code);
	}
	for (const [code, facts] of [
		["server", { status: 500 }],
		["overloaded", { status: 503 }],
		["malformed", { status: 200 }],
		["not-found", { status: 302 }],
		["not-found", { status: 404 }],
		["invalid", { status: 422 }],
		["network", {}],
		["proxy", { status: 403 }],
		["timeout", {}],
	] as const) {
		const rows = ["Code host API failed", "Credential accepted skipped"];
		assert.deepEqual(rowsOf(code, facts), rows, code);
	}
});

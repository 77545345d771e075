import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { plainIssues } from "#sandbox/codehost/seed.ts";

test("a plan gives exactly its count of each kind, numbered from 1 without gaps", () => {
	const few = fc.nat(50);
	fc.assert(
		fc.property(few, few, (open, closed) => {
			const issues = plainIssues(1, { open, closed });
			assert.equal(issues.filter(({ closedAt }) => closedAt === null).length, open);
			assert.equal(issues.length, open + closed);
			assert.ok(issues.every(({ number }, at) => number === at + 1));
		}),
	);
});

test("the same plan gives the same issues, and two repositories share no id", () => {
	const [one, two] = [plainIssues(1, { open: 20 }), plainIssues(2, { open: 20 })];
	assert.deepEqual(plainIssues(1, { open: 20 }), one);
	assert.equal(new Set([...one, ...two].map(({ id }) => id)).size, 40);
});

test("no issue changes before it is written, and closing is a change", () => {
	for (const { createdAt, updatedAt, closedAt } of plainIssues(1, { open: 50, closed: 50 })) {
		assert.ok(updatedAt >= createdAt && (closedAt === null || closedAt === updatedAt));
	}
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { plainIssues } from "#sandbox/codehost/issues.ts";
import { readIssueQuery, readPageQuery, select } from "#sandbox/codehost/listing.ts";

const read = (query: string) => readIssueQuery(new URLSearchParams(query), false);

test("a query without parameters asks for open issues, newest first, 30 on a page", () => {
	assert.deepEqual(read(""), {
		perPage: 30,
		state: "open",
		labels: [],
		sort: "created",
		direction: "desc",
		pullRequests: false,
	});
});

test("every parameter is read", () => {
	const query =
		"state=all&labels=Bug,,good%20first%20issue&sort=comments&direction=asc&since=2025-01-31T12:00:00%2B01:00&per_page=100&page=3";
	assert.deepEqual(read(query), {
		perPage: 100,
		page: 3,
		state: "all",
		labels: ["bug", "good first issue"],
		sort: "comments",
		direction: "asc",
		since: Date.UTC(2025, 0, 31, 11),
		pullRequests: false,
	});
	assert.equal(read("after=x").after, "x");
});

test("a plain list knows pages only", () => {
	assert.deepEqual(readPageQuery(new URLSearchParams("per_page=2&page=9")), { perPage: 2, page: 9 });
	assert.throws(() => readPageQuery(new URLSearchParams("state=all")), /^Violation: state is not a known field/);
});

test("a page and a cursor exclude each other", () => {
	assert.throws(() => read("page=1&after=x"), /^Violation: page must not come with after/);
});

test("numbers are digits and nothing that merely converts to a number", () => {
	for (const text of ["", " 1", "1e1", "0x1", "+1", "1.0", "-1"]) {
		assert.throws(() => readPageQuery(new URLSearchParams({ page: text })), /^Violation: page must be/, text);
	}
});

const issues = plainIssues({ repositoryId: 1, open: 40, closed: 20, pullRequests: 10 });

test("a selection is made once, and other queries do not change it", () => {
	const query = read("state=all&sort=updated");
	const first = select(issues, query);
	assert.deepEqual(
		issues.map(({ number }) => number),
		Array.from({ length: 70 }, (_, index) => index + 1),
	);
	assert.equal(select(issues, { ...query, page: 2, perPage: 5 }), first);
	for (let n = 0; n < 20; n++) select(issues, read(`since=2024-01-01T00:00:${10 + n}Z`));
	assert.deepEqual(select(issues, query), first);
});

test("issues of the same rank are in the order of their numbers, so that pages never overlap", () => {
	const byComments = select(issues, read("state=all&sort=comments&direction=asc"));
	for (const [at, issue] of byComments.entries()) {
		const next = byComments[at + 1];
		if (next?.comments === issue.comments) assert.ok(next.number > issue.number);
	}
	assert.equal(byComments.length, 60);
});

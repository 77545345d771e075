import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import type { CodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import { type Page, Paging, readIssueQuery, readPageQuery, select } from "#sandbox/codehost/listing.ts";
import { plainIssues } from "#sandbox/codehost/seed.ts";

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

test("issues of the same rank are in the order of their numbers, so that pages never overlap", () => {
	const byComments = select(issues, read("state=all&sort=comments&direction=asc"));
	for (const [at, issue] of byComments.entries()) {
		const next = byComments[at + 1];
		if (next?.comments === issue.comments) assert.ok(next.number > issue.number);
	}
	assert.equal(byComments.length, 60);
});

const BASE = "http://127.0.0.1:1/codehost/x";

function nextOf(link: string | undefined): URL | undefined {
	const url = /<([^>]*)>; rel="next"/.exec(link ?? "")?.[1];
	return url === undefined ? undefined : new URL(url);
}

test("whatever the length and the page size, next leads through every item once and in order", () => {
	const paging = new Paging();
	fc.assert(
		fc.property(
			fc.nat(60),
			fc.integer({ min: 1, max: 20 }),
			fc.constantFrom<NonNullable<CodehostBehaviour["links"]>>("all", "next", "cursor"),
			(length, perPage, links) => {
				const list = Array.from({ length }, (_, index) => index);
				const seen: number[] = [];
				for (let url: URL | undefined = new URL(BASE); url !== undefined; ) {
					const page: string | null = url.searchParams.get("page");
					const after: string | null = url.searchParams.get("after");
					const query = { perPage, ...(page && { page: Number(page) }), ...(after && { after }) };
					const cut: Page<number> = paging.cut(list, { query, url, behaviour: { links } });
					assert.equal(cut.offset, seen.length);
					seen.push(...cut.items);
					url = nextOf(cut.link);
				}
				assert.deepEqual(seen, list);
			},
		),
	);
});

test("a cursor is believed only by who made it, and only as it was made", () => {
	const [paging, other] = [new Paging(), new Paging()];
	const { link } = paging.cut([1, 2], { query: { perPage: 1 }, url: new URL(BASE), behaviour: { links: "cursor" } });
	const after = nextOf(link)?.searchParams.get("after") ?? "";
	const at = (from: Paging, cursor: string) =>
		from.cut([1, 2], { query: { perPage: 1, after: cursor }, url: new URL(BASE), behaviour: {} });
	assert.deepEqual(at(paging, after).items, [2]);
	for (const wrong of [`${after}A`, after.slice(1), "2", "", after.toUpperCase()]) {
		assert.throws(() => at(paging, wrong), /^Violation: after/);
	}
	assert.throws(() => at(other, after), /^Violation: after/);
});

test("a list on one page has no links", () => {
	for (const list of [[], [1]]) {
		assert.equal(new Paging().cut(list, { query: { perPage: 1 }, url: new URL(BASE), behaviour: {} }).link, undefined);
	}
});

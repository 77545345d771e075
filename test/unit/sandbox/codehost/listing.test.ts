import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { cutPage, issueQuery, type Page, pageQuery, readQuery, select } from "#sandbox/codehost/listing.ts";
import { plainIssues } from "#sandbox/codehost/seed.ts";

const read = (query: string) => readQuery(issueQuery, new URLSearchParams(query));

test("a plain list knows pages only", () => {
	assert.deepEqual(readQuery(pageQuery, new URLSearchParams("per_page=2&page=9")), { per_page: 2, page: 9 });
	assert.throws(() => readQuery(pageQuery, new URLSearchParams("state=all")), /^ClientError: state is not known/);
});

test("numbers are digits and nothing that merely converts to a number", () => {
	for (const text of ["", " 1", "1e1", "0x1", "+1", "1.0", "-1"]) {
		assert.throws(() => readQuery(pageQuery, new URLSearchParams({ page: text })), /^ClientError: page must be/, text);
	}
});

const issues = plainIssues(1, { open: 40, closed: 20 });

test("issues of the same rank are in the order of their numbers", () => {
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

test("next leads through every item once and in order, for any length and page size", () => {
	fc.assert(
		fc.property(fc.nat(60), fc.integer({ min: 1, max: 20 }), (length, perPage) => {
			const list = Array.from({ length }, (_, index) => index);
			const seen: number[] = [];
			for (let url: URL | undefined = new URL(BASE); url !== undefined; ) {
				const page: string | null = url.searchParams.get("page");
				const query = { per_page: perPage, ...(page && { page: Number(page) }) };
				const cut: Page<number> = cutPage(list, query, url);
				seen.push(...cut.items);
				url = nextOf(cut.link);
			}
			assert.deepEqual(seen, list);
		}),
	);
});

test("a list on one page has no links", () => {
	for (const list of [[], [1]]) {
		assert.equal(cutPage(list, { per_page: 1 }, new URL(BASE)).link, undefined);
	}
});

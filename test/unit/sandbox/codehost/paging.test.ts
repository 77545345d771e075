import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import type { CodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import { type Page, Paging } from "#sandbox/codehost/paging.ts";

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

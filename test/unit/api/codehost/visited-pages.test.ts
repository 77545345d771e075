import { strict as assert } from "node:assert";
import { test } from "node:test";
import { VisitedPages } from "#api/codehost/visited-pages.ts";

const at = (query: string) => new URL(`https://host/issues?${query}`);
const links = (next: string | null) => ({ next: next === null ? null : at(next), last: null, leadsBack: false });

test("links that lead to a visited page lead back, whatever the order of the parameters", () => {
	const pages = new VisitedPages();
	assert.equal(pages.add(at("page=1&q=a"), at("page=1&q=a"), links("page=2&q=a")), false);
	assert.equal(pages.add(at("page=2&q=a"), at("page=2&q=a"), links("q=a&page=1")), true);
	assert.equal(pages.add(at("page=3"), at("moved=3"), links("moved=3")), true);
	assert.equal(pages.add(at("page=4"), at("page=4"), links(null)), false);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { readLinks, VisitedPages } from "#api/codehost/link.ts";

const page = new URL("https://host.test/api/repos/a/b/issues?state=open");

function next(header: string | undefined, from = page): string | null {
	const link = readLinks(header, from).next;
	return link instanceof URL ? link.href : link;
}

test("the next page is found among other links, whatever the order and spelling of their parameters", () => {
	const target = "https://host.test/x?page=2";
	for (const header of [
		`<${target}>; rel="next"`,
		`<${target}>; rel=next`,
		`<${target}>;REL="NEXT"`,
		`<${target}> ; title="a, \\"b\\"; rel=last" ; rel="next"`,
		`<${target}>; rel="last next"`,
		`<https://host.test/x?page=9>; rel="last", <${target}>; rel="next"`,
		`<https://host.test/a,b;rel=next>; rel="prev",<${target}>;rel="next",`,
	]) {
		assert.equal(next(header), target, header);
	}
});

test("no link, or none that makes sense, is no next page", () => {
	const other = '<https://host.test/a;rel=next>; rel="prev"';
	for (const header of [undefined, "", "nonsense", "<>", '<https://host.test/x>; rel="prev"', other]) {
		assert.equal(next(header), null, header);
	}
});

test("a next page whose link cannot be read is not the end of the list", () => {
	for (const header of [
		"<http://[>; rel=next",
		'</x>; rel="prev", <http://[>; rel="last next"',
		'https://host.test/x?page=2; rel="next"',
		"</x?page=2>; title=\"cut; rel='next'",
	]) {
		assert.equal(next(header), "unreadable", header);
	}
	assert.equal(next("<http://[>; rel=next, </y>; rel=next"), "https://host.test/y");
});

test("the first of two next links counts", () => {
	assert.equal(next("</x>; rel=next, </y>; rel=next"), "https://host.test/x");
});

test("a relative target is resolved against the page it came with", () => {
	assert.equal(next("<?page=2>; rel=next"), "https://host.test/api/repos/a/b/issues?page=2");
	assert.equal(next("</other>; rel=next"), "https://host.test/other");
});

test("a target at another origin is never a page", () => {
	for (const target of [
		"https://evil.test/x",
		"//evil.test/x",
		"http://host.test/x",
		"https://host.test:8443/x",
		"https://host.test@evil.test/x",
		"https://sub.host.test/x",
		"javascript:alert(1)",
		"file:///etc/hosts",
	]) {
		assert.equal(next(`<${target}>; rel=next`), "other-origin", target);
	}
});

test("a user name or a fragment in a target is dropped", () => {
	assert.equal(next("<https://me:secret@host.test/x#top>; rel=next"), "https://host.test/x");
});

test("a header of nothing but beginnings of links takes no longer than its length", () => {
	const begun = performance.now();
	assert.equal(next("<".repeat(100_000)), null);
	assert.equal(next("rel=".repeat(50_000)), null);
	assert.ok(performance.now() - begun < 1_000);
});

test("links after the first hundred are not looked through", () => {
	assert.equal(next(`${"</x>; rel=prev, ".repeat(100)}</y>; rel=next`), "unreadable");
});

const at = (query: string) => new URL(`https://host/issues?${query}`);
const links = (next: string | null) => ({ next: next === null ? null : at(next), leadsBack: false });

test("links that lead to a visited page lead back, whatever the order of the parameters", () => {
	const pages = new VisitedPages();
	assert.equal(pages.add(at("page=1&q=a"), at("page=1&q=a"), links("page=2&q=a")), false);
	assert.equal(pages.add(at("page=2&q=a"), at("page=2&q=a"), links("q=a&page=1")), true);
	assert.equal(pages.add(at("page=3"), at("moved=3"), links("moved=3")), true);
	assert.equal(pages.add(at("page=4"), at("page=4"), links(null)), false);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { countedPages, readLinks } from "#api/codehost/link.ts";

const page = new URL("https://host.test/api/repos/a/b/issues?state=open");

function next(header: string | undefined, from = page): string | null {
	const link = readLinks(header, from).next;
	return link instanceof URL ? link.href : link;
}

test("the next page is found among other links, however they are spelled", () => {
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
	const [openings, relations] = ["<".repeat(100_000), "rel=".repeat(50_000)];
	for (const header of [
		undefined,
		"",
		"nonsense",
		"<>",
		'<https://host.test/x>; rel="prev"',
		other,
		openings,
		relations,
	]) {
		assert.equal(next(header), null);
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
	assert.equal(readLinks("<https://evil.test/x>; rel=last", page).last, null);
});

test("a user name or a fragment in a target is dropped", () => {
	assert.equal(next("<https://me:secret@host.test/x#top>; rel=next"), "https://host.test/x");
});

/** The pages that a set of links lets know ahead. */
function numbers(current: string, nextPath: string, lastPath: string): readonly [number, number] | null {
	const url = new URL(current, page);
	const links = readLinks(`<${nextPath}>; rel="next", <${lastPath}>; rel="last"`, url);
	const after = countedPages(url, links);
	if (after === null || !(links.next instanceof URL)) return null;
	let last = links.next;
	for (let each = after(last); each !== undefined; each = after(each)) last = each;
	const numberOf = ({ searchParams }: URL) => Number(searchParams.get("page"));
	return [numberOf(links.next), numberOf(last)];
}

test("pages that are counted by their number are known ahead", () => {
	assert.deepEqual(numbers("/i?per_page=100", "/i?per_page=100&page=2", "/i?per_page=100&page=9"), [2, 9]);
	assert.deepEqual(numbers("/i?page=3", "/i?page=4", "/i?page=9"), [4, 9]);
	assert.deepEqual(numbers("/i", "/repositories/1/i?page=2", "/repositories/1/i?page=9"), [2, 9]);
});

test("a page address known ahead is spelled as the service spells the others", () => {
	const url = new URL("/i?page=1", page);
	const query = "q=a%20b,c%2Cd+e&by=*%2A&since=12:00%3A00&page";
	const link = (number: number) => `/i?${query}=${number}&flag&last=page=1`;
	const after = countedPages(url, readLinks(`<${link(2)}>; rel=next, <${link(4)}>; rel=last`, url));
	for (const number of [2, 3, 4]) {
		const following = number === 4 ? undefined : new URL(link(number + 1), page).href;
		assert.equal(after?.(new URL(link(number), page))?.href, following);
	}
	assert.equal(after?.(new URL("/i?page=2", page)), undefined, "another listing");
});

test("pages that are not counted on by one from here are not known ahead", () => {
	assert.equal(numbers("/i", "/i?page=3", "/i?page=9"), null, "the count jumps");
	assert.equal(numbers("/i?page=5", "/i?page=2", "/i?page=9"), null, "the count goes back");
	assert.equal(numbers("/i", "/i?page=2", "/i?page=2"), null, "there is only one more");
	assert.equal(numbers("/i", "/i?page=2&x=1", "/i?page=9&x=2"), null, "two parameters differ");
	assert.equal(numbers("/i", "/i?page=2", "/j?page=9"), null, "the paths differ");
	assert.equal(numbers("/i", "/i?after=abc", "/i?after=xyz"), null, "there is no number");
	assert.equal(numbers("/i", "/i?page=02", "/i?page=09"), null, "a number is written in another way");
	assert.equal(numbers("/i", "/i?page=2", "/i?page=1"), null, "the last one is before the next");
	assert.equal(countedPages(page, readLinks("</i?page=2>; rel=next", page)), null, "there is no last one");
	assert.equal(countedPages(page, readLinks("<//evil.test/i?page=2>; rel=next, </i?page=9>; rel=last", page)), null);
});

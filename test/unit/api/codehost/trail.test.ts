import { strict as assert } from "node:assert";
import { test } from "node:test";
import { readLinks } from "#api/codehost/link.ts";
import { Trail } from "#api/codehost/trail.ts";

/** Follows pages by their address, where their next link leads and what is on them; what is found of each. */
function follow(...pages: readonly (readonly [path: string, next: string | null, ids: readonly number[]])[]) {
	const trail = new Trail();
	return pages.map(([path, next, ids]) => {
		const url = new URL(path, "https://host.test");
		const links = readLinks(next === null ? undefined : `<${next}>; rel=next`, url);
		return trail.follow({ asked: url, url, links, ids });
	});
}

test("a listing that ends leads on to its end", () => {
	assert.deepEqual(follow(["/i", "?page=2", [1]], ["/i?page=2", "?page=3", [2]], ["/i?page=3", null, [3]]), [
		"on",
		"on",
		"on",
	]);
});

test("the first page is known by its number, by none, and whatever the order of the parameters", () => {
	for (const first of ["/i?q=a&page=1", "/i?page=1&q=a", "/i?q=a"]) {
		for (const begins of ["/i?q=a", "/i?page=1&q=a"]) {
			assert.deepEqual(
				follow([begins, "/i?q=a&page=2", [1]], ["/i?q=a&page=2", first, [2]]),
				["on", "back"],
				`${begins} and ${first}`,
			);
		}
	}
});

test("where pages are counted from 0, page 1 is the second one", () => {
	assert.deepEqual(follow(["/i", "?page=1", [1]], ["/i?page=1", "?page=2", [2]], ["/i?page=2", "?page=0", [3]]), [
		"on",
		"on",
		"back",
	]);
});

test("the first page under an address that nothing tells is known by what is on it and where it leads", () => {
	assert.deepEqual(follow(["/i", "?c=a", [1, 2]], ["/i?c=a", "?c=b", [3, 4]], ["/i?c=b", "?c=a", [1, 2]]), [
		"on",
		"on",
		"again",
	]);
	assert.deepEqual(follow(["/i", "?c=a", [1, 2]], ["/i?c=a", "?c=b", [1, 2]]), ["on", "on"], "it may be alike");
});

test("a page that is read once more, for the rest of it, leads where it led", () => {
	assert.deepEqual(follow(["/i", "?page=2", [1, 2]], ["/i", "?page=2", [1, 2]]), ["on", "on"]);
	assert.deepEqual(follow(["/i", "/i", [1, 2]], ["/i", "/i", [1, 2]]), ["back", "back"]);
});

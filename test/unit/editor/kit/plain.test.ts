import assert from "node:assert/strict";
import { test } from "node:test";
import { cardText, withoutIcons, withoutLinks } from "#editor/kit/plain.ts";

test("text that the editor would render as an icon is escaped, and nothing else", () => {
	assert.equal(withoutIcons("$(bug) a $(sync~spin)"), "\\$(bug) a \\$(sync~spin)");
	for (const plain of ["$(not an icon)", "$5 (five)", "$()", "C:\\$x"]) assert.equal(withoutIcons(plain), plain);
});

test("no text is left of which the editor would make a link", () => {
	const link = /\[[^\]]+\]\(/;
	assert.match("[quit](command:x)", link);
	assert.doesNotMatch(withoutLinks("[quit](command:x) [a](https://x)"), link);
});

/** A link as CommonMark reads it: the text and the address, without the backslashes in front of marks. */
function linksIn(text: string): readonly (readonly string[])[] {
	const links = cardText(text).matchAll(/(?<!\\)\[((?:\\.|[^\]\\])*)\]\(<((?:\\.|[^>\\])*)>\)/g);
	return Array.from(links, (link) => [link[1] ?? "", link[2] ?? ""].map((part) => part.replaceAll(/\\(.)/g, "$1")));
}

test("an address in a card leads exactly where it was written", () => {
	for (const [text, address] of [
		["see https://host.test/a_(b)#c-d.", "https://host.test/a_(b)#c-d"],
		["(https://host.test/a_b), then", "https://host.test/a_b"],
		["<https://host.test/a>", "https://host.test/a"],
		["**https://x-y.test/?a=1&copy=2**", "https://x-y.test/?a=1&copy=2"],
		["[docs](http://[::1]:8080/x[1])", "http://[::1]:8080/x[1]"],
		["https://host.test/a\\b|c", "https://host.test/a\\b|c"],
	] as const) {
		assert.deepEqual(linksIn(text), [[address, address]], text);
	}
});

test("nothing but the address of a web page is more than text in a card", () => {
	const plain = "[a](command:evil) <b> $(add) www.x-y.test me@x.test `c` &lt; https://";
	assert.doesNotMatch(cardText(plain).replaceAll(/\\./g, ""), /[!-/:-@[-`{-~]/);
	assert.equal(cardText(plain).replaceAll("\\", ""), plain);
	assert.equal(cardText("1. a\n    - b"), "1\\. a\n\n\\- b");
});

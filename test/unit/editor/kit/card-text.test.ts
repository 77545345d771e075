import assert from "node:assert/strict";
import { test } from "node:test";
import { cardText } from "#editor/kit/card-text.ts";

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

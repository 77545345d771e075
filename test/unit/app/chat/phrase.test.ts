import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseFinder } from "#app/chat/phrase.ts";

test("a phrase has its place and its length as they are in the text", () => {
	const text = "see the **quick**\n  fox.";
	const place = phraseFinder("the quick fox")(text);
	assert.equal(place && text.slice(place.at, place.at + place.length), "the **quick**\n  fox");
	assert.deepEqual(phraseFinder("a b")("a c a a b"), { at: 6, length: 3 });
	assert.equal(phraseFinder("z")(text), undefined);
	assert.equal(phraseFinder(" ")(text), undefined);
});

test("signs are found as they are, marks too, and a word that is not apart is another", () => {
	for (const [phrase, text] of [
		["**", "a ** b"],
		["see **a**", "see **a**"],
		["a, b", "**a**, `b`"],
		["f(x)", "call f(`x`)"],
	] as const) {
		assert.ok(phraseFinder(phrase)(text), phrase);
	}
	assert.equal(phraseFinder("a b")("a**b**"), undefined);
	assert.equal(phraseFinder("a.b")("a .b"), undefined);
	assert.equal(phraseFinder("a*")("a b"), undefined);
});

test("a phrase is found across the lines of a quotation, a line broken by a backslash, and the ends of links", () => {
	for (const text of [
		"> a\n> b",
		"> > a\r\n> > b",
		">a\n>**b**",
		"a\\\nb",
		"a\\\r\n b",
		"[a](https://a.example/x) b",
		'[a](x_(y) "A title") b',
		"**[a](x)** b",
		"[![a](x)](y) b",
		"a [b](x)",
		"a ![b](x)",
		"[a](x)\n> [b](y)",
		`[a](${"x".repeat(1_000)}) b`,
	]) {
		const place = phraseFinder("a b")(text);
		assert.ok(place && text.slice(place.at).startsWith("a"), text);
		assert.equal(text.charAt(place.at + place.length - 1), "b");
	}
	assert.ok(phraseFinder("f(x)")("[f](y)(x)"));
	for (const text of ["a > b", "a\n* > b", "a\\ b", "a] b", "a [b]", "[a](x y) b", "[a][x] b", "[a](x)b"]) {
		assert.equal(phraseFinder("a b")(text), undefined, text);
	}
});

test("no text makes a search slow by its links", () => {
	// Each would take minutes if it were looked through anew from each of its signs.
	for (const text of [
		"](x)".repeat(200_000),
		`](${"x".repeat(800_000)}`,
		`] ${"[".repeat(800_000)}`,
		"](x ".repeat(200_000),
	]) {
		assert.equal(phraseFinder("] b")(`${text}b`), undefined);
	}
});

test("a gap is looked beyond up to a width, so that no text makes a search slow", () => {
	const find = phraseFinder("a b");
	assert.ok(find(`a${" ".repeat(200)}b`));
	assert.equal(find(`a${" ".repeat(201)}b`), undefined);
});

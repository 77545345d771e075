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

test("a gap is looked beyond up to a width, so that no text makes a search slow", () => {
	const find = phraseFinder("a b");
	assert.ok(find(`a${" ".repeat(200)}b`));
	assert.equal(find(`a${" ".repeat(201)}b`), undefined);
});

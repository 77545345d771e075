import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { changeOf, mergedText } from "#base/merged-text.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });

test("the change of a text makes the new one of the old", () => {
	fc.assert(
		fc.property(letters, letters, (from, to) => {
			const { start, end, text } = changeOf(from, to);
			assert.equal(from.slice(0, start) + text + from.slice(end), to);
		}),
	);
	assert.deepEqual(changeOf("half thought", "half a thought"), { start: 5, end: 5, text: "a " });
});

test("changes apart from each other are both there, whichever comes first", () => {
	for (const [one, other] of [
		["A story of one", "a story of two"],
		["a story of two", "A story of one"],
	] as const) {
		assert.equal(mergedText("a story of one", one, other), "A story of two");
	}
});

test("what is added in one place is kept whatever is done to that place in the other", () => {
	assert.equal(mergedText("ab", "axb", "ayb"), "axyb");
	assert.equal(mergedText("abc", "", "abxc"), "x");
	assert.equal(mergedText("abc", "abxc", ""), "x");
	assert.equal(mergedText("abcd", "ad", "abxd"), "axd");
});

test("two texts that were added to make one with every letter of both, and no other", () => {
	const place = fc.record({ at: fc.nat(8), text: letters });
	fc.assert(
		fc.property(letters, place, place, (base, ...places) => {
			const [one = "", other = ""] = places.map(({ at, text }) => base.slice(0, at) + text + base.slice(at));
			const all = [...base, ...places.flatMap(({ text }) => [...text])].sort().join("");
			assert.equal([...mergedText(base, one, other)].sort().join(""), all);
			assert.equal(mergedText(base, one, base), one);
			assert.equal(mergedText(base, base, one), one);
		}),
	);
});

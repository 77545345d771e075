import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFilter, printFilter, wordMatcher } from "#app/kit/filter.ts";

const read = (typed: string) => {
	const { text, valuesOf } = parseFilter(typed, "tag", "is");
	return { text, tag: valuesOf("tag"), is: valuesOf("is") };
};

test("a filter takes words and values in any order, a value with spaces in quotes", () => {
	assert.deepEqual(read('  tag:friendly  big   TAG:"needs a garden" dog IS:Failed'), {
		text: "big dog",
		tag: ["friendly", "needs a garden"],
		is: ["Failed"],
	});
	assert.deepEqual(read('tag: tag:"" heritage:old other:x'), { text: "heritage:old other:x", tag: ["", ""], is: [] });
	assert.deepEqual(read(""), { text: "", tag: [], is: [] });
});

test("values of names that mean the same come in the order in which they were typed", () => {
	const { text, valuesOf } = parseFilter("is:open bell STATE:closed", "is", "state");
	assert.deepEqual([text, valuesOf("is", "state")], ["bell", ["open", "closed"]]);
});

test("a filter that was printed is parsed as the same", () => {
	for (const tag of [[], ["friendly", "needs a garden"], ["łódź"]]) {
		for (const text of ["", "big dog"]) {
			assert.deepEqual(read(printFilter(text, { tag, is: ["failed"] })), { text, tag, is: ["failed"] });
		}
	}
});

test("each word must occur within one of the texts, in any case", () => {
	const found = (filter: string) => wordMatcher<string[]>(filter, (texts) => [...texts, 7, null])(["Big", "Dog"]);
	assert.deepEqual(["", " dog BIG", "big cat", "bigdog", "7"].map(found), [true, true, false, false, true]);
});

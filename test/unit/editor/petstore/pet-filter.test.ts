import assert from "node:assert/strict";
import { test } from "node:test";
import { petFilterWords, readPetFilter, writePetFilter } from "#editor/petstore/pet-filter.ts";

test("what is typed are words and tags in any order, a tag with spaces in quotes", () => {
	assert.deepEqual(readPetFilter('  tag:friendly  big   TAG:"needs a garden" dog '), {
		text: "big dog",
		tags: ["friendly", "needs a garden"],
	});
	assert.deepEqual(readPetFilter('tag: tag:"" heritage:old'), { text: "heritage:old", tags: [] });
	assert.deepEqual(readPetFilter(""), { text: "", tags: [] });
});

test("a filter that was written is read as the same", () => {
	for (const filter of [
		{ text: "", tags: [] },
		{ text: "big dog", tags: ["friendly", "needs a garden"] },
		{ text: "", tags: ["łódź"] },
	]) {
		assert.deepEqual(readPetFilter(writePetFilter(filter)), filter);
	}
});

test("the head of the view says what is filtered, and nothing where all is shown", () => {
	assert.equal(petFilterWords({ text: "", tags: [] }), "");
	assert.equal(petFilterWords({ text: "big dog", tags: ["a", "b c"] }), '"big dog" · tag a or b c');
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { plainSentence } from "#api/http/sentence.ts";

test("a sentence is one line of at most 300 characters", () => {
	assert.equal(plainSentence("  a\r\n\tb  "), "a b");
	assert.equal(plainSentence("x".repeat(1_000)), `${"x".repeat(299)}…`);
});

test("markup says nothing", () => {
	assert.equal(plainSentence(" \n<!doctype html><html>502</html>"), "");
	assert.equal(plainSentence(""), "");
});

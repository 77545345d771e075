import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { plainSentence } from "#api/http/sentence.ts";
import { anyCharacter } from "../../../support/any-character.ts";

test("a sentence is one line without control or direction characters", () => {
	assert.equal(plainSentence("  a\r\n\tb\u0000c\u202Ed\u2028e  "), "a b c d e");
});

test("markup says nothing", () => {
	assert.equal(plainSentence(" \n<!doctype html><html>502</html>"), "");
	assert.equal(plainSentence(""), "");
});

test("whatever a service says, the sentence is short and well-formed", () => {
	fc.assert(
		fc.property(fc.string({ unit: anyCharacter, maxLength: 2_000 }), (text) => {
			const sentence = plainSentence(text);
			assert.ok(Array.from(sentence).length <= 300);
			assert.doesNotMatch(sentence, /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
		}),
	);
	assert.equal(plainSentence("x".repeat(1_000)), `${"x".repeat(299)}…`);
});

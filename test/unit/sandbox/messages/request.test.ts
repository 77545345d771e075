import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { countTokens, splitTokens } from "#sandbox/messages/request.ts";
import { anyCharacter } from "../../../support/any-character.ts";

test("tokens joined are the text again", () => {
	fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => assert.equal(splitTokens(text).join(""), text)));
});

test("a token is a word with the space before it", () => {
	assert.deepEqual(splitTokens("one  two\n\n three \n"), ["one", "  two", "\n\n three", " \n"]);
	assert.equal(countTokens(""), 0);
});

test("no token is longer than 16 characters, and none splits a character", () => {
	const tokens = splitTokens("🔌".repeat(40));
	assert.deepEqual(
		tokens.map((token) => [...token].length),
		[16, 16, 8],
	);
	for (const token of tokens) assert.ok(token.isWellFormed());
});

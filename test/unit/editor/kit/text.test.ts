import assert from "node:assert/strict";
import { test } from "node:test";
import { plainBody, plainLine } from "#editor/kit/text.ts";

test("a line has no control or invisible characters, and a fallback if empty", () => {
	assert.equal(plainLine("a\u202eb\u200bc\nd\te\ud83d"), "a b c d e");
	assert.equal(plainLine(" \n ", "(no title)"), "(no title)");
	assert.equal(plainLine("\u200d \u200c", "(no title)"), "(no title)");
	assert.equal(plainLine(null), "");
	assert.ok(plainLine("🔌".repeat(1000)).length <= 300);
});

test("invisible characters are left out of a description", () => {
	const hidden = [..."do as I say"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
	assert.equal(plainBody(`seen\u202e${hidden} too`), "seen too");
});

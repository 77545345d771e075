import assert from "node:assert/strict";
import { test } from "node:test";
import { plainLine } from "#editor/plain-line.ts";

test("a line has no characters that break, hide or turn it, and is never empty where there is a fallback", () => {
	assert.equal(plainLine("a\u202eb\u200bc\nd\te\ud83d"), "a b c d e");
	assert.equal(plainLine(" \n ", "(no title)"), "(no title)");
	assert.equal(plainLine("\u200d \u200c", "(no title)"), "(no title)");
	assert.equal(plainLine(null), "");
	assert.ok(plainLine("🔌".repeat(1000)).length <= 300);
});

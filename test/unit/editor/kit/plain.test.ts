import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutIcons, withoutLinks } from "#editor/kit/plain.ts";

test("text that the editor would render as an icon is escaped, and nothing else", () => {
	assert.equal(withoutIcons("$(bug) a $(sync~spin)"), "\\$(bug) a \\$(sync~spin)");
	for (const plain of ["$(not an icon)", "$5 (five)", "$()", "C:\\$x"]) assert.equal(withoutIcons(plain), plain);
});

test("no text is left of which the editor would make a link", () => {
	const link = /\[[^\]]+\]\(/;
	assert.match("[quit](command:x)", link);
	assert.doesNotMatch(withoutLinks("[quit](command:x) [a](https://x)"), link);
});

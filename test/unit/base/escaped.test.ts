import assert from "node:assert/strict";
import { test } from "node:test";
import { escaped, unescaped } from "#base/escaped.ts";

test("a text of several lines is escaped to one line and comes back exactly", () => {
	const texts = [
		"",
		"Rules:\n- be brief\n- no code",
		"C:\\new\\\nroot",
		"\\n",
		"\\\\n\\",
		" \r\n\tx \n",
		"\\\n\\\\r\r",
	];
	for (const text of texts) {
		assert.doesNotMatch(escaped(text), /[\r\n]/);
		assert.equal(unescaped(escaped(text)), text);
	}
	assert.equal(escaped("a\nb\\n"), String.raw`a\nb\\n`);
});

test("a backslash that a person types before anything else stays as it is", () => {
	assert.equal(unescaped('\\d+ \\"x\\" \\n.\\'), '\\d+ \\"x\\" \n.\\');
});

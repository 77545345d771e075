import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { contained } from "#app/chat/contained.ts";

const END = "## The next message";

/** Whether what follows a text in a document is read as what it is. */
function isFollowed(text: string): boolean {
	const tokens = new MarkdownIt({ html: true }).parse(`${contained(text)}\n\n${END}\n`, {});
	const [open, inline] = tokens.slice(-3);
	return open?.type === "heading_open" && open.level === 0 && inline?.content === "The next message";
}

test("code that is open at the end of a text is closed by its own fence", () => {
	assert.equal(contained("So:\n\n```ts\nconst a = 1;"), "So:\n\n```ts\nconst a = 1;\n```");
	assert.equal(contained("~~~~\n```\nx"), "~~~~\n```\nx\n~~~~");
	assert.equal(contained("So:\r\n```ts\r\nx"), "So:\r\n```ts\r\nx\n```");
});

test("a text in which nothing is open stays as it is, code in lists included", () => {
	for (const text of [
		"Plain, with `code` and ```code``` in a line.",
		"```ts\nconst a = 1;\n```\n\nand more",
		"1. First:\n\n   ```sh\n   ls\n   ```\n\n2. Second",
		"- ```\n  code\n  ```\n- more",
		"<details>\n\ntext\n\n</details>",
		"<!-- a note -->\n\ntext",
	]) {
		assert.equal(contained(text), text);
		assert.ok(isFollowed(text), text);
	}
});

test("HTML that would go on is quoted", () => {
	assert.equal(contained("one\n<!-- two\n\nthree"), "> one\n> <!-- two\n> \n> three");
});

test("whatever a text is, what follows it is read as what it is", () => {
	const begin = fc.constantFrom("", "  ", "   ", "    ", "- ", "1. ", "> ", ">> ", "\t", "  - ");
	const what = fc.constantFrom(
		...["```", "````", "~~~", "```ts", "``` `x`", "x", "<!--", "-->", "<script>", "</script>", "<pre>", "<?", "<!A"],
		...["<![CDATA[", "", "<div>", "---", "===", "|a|b|", "|-|-|", "\\", "[a]:", "$$"],
	);
	const line = fc.tuple(begin, what).map((parts) => parts.join(""));
	fc.assert(
		fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n", "\r"), (lines, end) =>
			isFollowed(lines.join(end)),
		),
		{ numRuns: 5_000 },
	);
});

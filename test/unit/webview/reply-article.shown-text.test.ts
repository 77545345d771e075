/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownText } from "#webview/reply-article.ts";
import { feed } from "./support/feed.ts";
import "./support/dom.ts";

const shown = (markdown: string) => shownText(feed(markdown).element);

test("marks are gone and what they mean in lines stays", () => {
	assert.equal(
		shown("# A *head*\n\nOne\ntwo **three** [link](https://example.org)\\\nfour"),
		"A head\n\nOne two three link\nfour",
	);
});

test("lists keep their bullets and numbers, also inside each other", () => {
	assert.equal(shown("3. one\n4. two\n   - a\n   - b\n\nend"), "3. one\n4. two\n  - a\n  - b\n\nend");
	assert.equal(shown("- one\n\n- two"), "- one\n\n- two");
});

test("a task keeps its box, which stands in place of its bullet", () => {
	const text = "- [x] done\n- [ ] open\n  1. [X] inner\n- [x]\n- [y] text";
	assert.equal(shown(text), text.replace("X", "x"));
	assert.equal(feed(text, 1).element.textContent, "doneopeninner[x][y] text");
});

test("code is as it is, without the bar above it", () => {
	assert.equal(shown("```ts\nlet a;\n\tlet  b;\n```"), "let a;\n\tlet  b;");
});

test("the cells of a table are set apart by tabs, and a line break in one is a blank", () => {
	assert.equal(shown("| a | b |\n|---|---|\n| 1 | 2<br>3<br/>4<BR /> |\n"), "a\tb\n1\t2 3 4");
});

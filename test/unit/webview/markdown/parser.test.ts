/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownText } from "#webview/reply-article.ts";
import { feed } from "../support/feed.ts";
import "../support/dom.ts";

const inlineCode = (text: string) =>
	[...feed(text, 3).element.querySelectorAll(":not(pre) > code")].map((code) => code.textContent);
const blocks = (text: string, size: number) =>
	[...feed(text, size).element.querySelectorAll("pre")].map((pre) => pre.textContent);

test("a formula within a line is code, with its delimiters and all marks in it", () => {
	for (const formula of [
		"\\(a_1 + b\\)",
		"\\[ \\frac{a}{b} \\]",
		"$a*b*c$",
		"$\\{a,b\\}$",
		"$x_1, x_2$",
		"$5 + x$",
		"$$ a \\\\ b $$",
		"\\(a \\\\[2pt] b\\)",
		"$\\$5$",
	]) {
		assert.deepEqual(inlineCode(`Inline ${formula} and *words*.`), [formula]);
		assert.equal(shownText(feed(`Inline ${formula} and *words*.`).element), `Inline ${formula} and words.`);
	}
	assert.deepEqual(inlineCode("设$x_1$为 and **$y$**, ($z$)"), ["$x_1$", "$y$", "$z$"]);
	assert.deepEqual(inlineCode("| a |\n|---|\n| $a*b*c$ |"), ["$a*b*c$"]);
});

test("lines between lines of two dollar signs are a block of code", () => {
	for (const formula of ["\\begin{aligned}\na &= b \\\\\n\\end{aligned}", "f(x) = a\n+ b\n\n- c\n# d"]) {
		for (const size of [1, 7, 64]) {
			assert.deepEqual(blocks(`Words:\n$$\n${formula}\n$$\nmore *words*`, size), [`${formula}\n`]);
		}
	}
	assert.deepEqual(blocks("1. A\n   $$\n   x\n   $$\n2. B\n> $$\n> q\n> $$", 3), ["x\n", "q\n"]);
});

test("money, shells, escapes and lone marks are no formulas", () => {
	for (const text of [
		"from $5 and $10 to US$20, or 5$ and 6$",
		`"$HOME" and $HOME/$USER:$PATH, \${A}/\${B}, $(a)$(b)`,
		'"$" and "$", or $ and $',
		"^foo$|^bar$",
		"\\$a$ and a\\$",
		"$a\nb$",
		"$a `b$`",
		"a \\(b and \\[c, \\(\\)",
		"$$$ x $$$",
		"$$ is a process",
	]) {
		assert.equal(inlineCode(text).filter((code) => code !== "b$").length, 0, text);
		assert.equal(blocks(text, 3).length, 0, text);
	}
});

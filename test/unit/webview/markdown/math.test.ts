/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { tests as examples } from "commonmark-spec";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { md } from "#webview/markdown/parser.ts";
import { MarkdownView } from "#webview/markdown/view.ts";
import { shownText } from "#webview/shown-text.ts";
import { measured } from "../../../support/cpu-time.ts";
import { shape } from "../support/dom.ts";
import { feed } from "../support/feed.ts";
import { renderWhole } from "../support/whole-render.ts";

const inlineCode = (text: string) =>
	[...feed(text, 3).element.querySelectorAll(":not(pre) > code")].map((code) => code.textContent);
const blocks = (text: string, size = 3) =>
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
	assert.equal(shownText(feed("with \\(a %b\nc\\)").element), "with \\(a %b\nc\\)", "a line end ends a comment");
});

test("a formula on lines of its own is a block of code, whatever its lines look like", () => {
	for (const formula of [
		"$$\n\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}\n$$",
		"$$\nf(x) = a\n+ b\n- c\n= d\n$$",
		"$$\n  a\n-----\n  b\n$$",
		"\\[\n# a\n> b\n\\]",
		"\\[ x = y \\]",
		"$$x$$.",
		"$$\\begin{aligned}\na &= b \\\\\n\\end{aligned}$$",
	]) {
		for (const [before, behind] of [
			["", ""],
			["Words:\n", "\nmore *words*"],
			["| a |\n|---|\n", "\n\nwords"],
		] as const) {
			for (const size of [1, 7, 64]) {
				assert.deepEqual(blocks(before + formula + behind, size), [`${formula}\n`]);
			}
		}
		assert.equal(shownText(feed(`Words\n\n${formula}\n`).element), `Words\n\n${formula}`);
	}
	assert.deepEqual(blocks("1. A\n   $$\n   x\n   - y\n   $$\n2. B\n$$\nz\n$$\n> $$\n> q\n> $$"), [
		"$$\nx\n- y\n$$\n",
		"$$\nz\n$$\n",
		"$$\nq\n$$\n",
	]);
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
		"$$",
		"$$\n$$",
		"$$$ x $$$",
		"$$ is a process",
	]) {
		assert.equal(inlineCode(text).filter((code) => code !== "b$").length, 0, text);
		assert.equal(blocks(text).length, 0, text);
	}
	const open = feed("$$ is\n- a\n\nend", 3).element;
	assert.equal(open.querySelectorAll("li").length, 1);
	assert.equal(open.querySelector("pre"), null);
});

test("what CommonMark's examples give is as it was before there were formulas", () => {
	const plain = new MarkdownIt({ html: false });
	plain.validateLink = () => true;
	for (const { markdown, number } of examples) {
		const text = markdown.replaceAll("→", "\t");
		assert.equal(md.render(text), plain.render(text), `example ${number}`);
	}
});

test("a formula grows in the block it began in", () => {
	const view = new MarkdownView();
	view.append("Words\n$$\na ");
	const pre = view.element.querySelector("pre");
	assert.equal(pre?.textContent, "$$\na ");
	view.append("+ b\n- c");
	assert.equal(pre.textContent, "$$\na + b\n- c");
	view.append("\n$$\nmore");
	assert.equal(view.element.querySelector("pre"), pre);
	assert.equal(pre.textContent, "$$\na + b\n- c\n$$\n");
});

const PIECES = ["$", "$$", "\\(", "\\)", "\\[", "\\]", "\\", "\n", "\n\n", "a", "5", " ", "- ", "> ", "+ b\n", "---\n"];
PIECES.push("*", "`", "~~~\n", "[", "](u)", "some more words to fill a line ", "$x$", "$$\nx\n$$\n", "\\[\ny\n\\]\n");
const document = fc.array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 24 }).map((parts) => parts.join(""));

test("formulas end the same however a text was cut into pieces", () => {
	fc.assert(
		fc.property(document, fc.constantFrom(1, 2, 7, 64), (text, size) => {
			assert.equal(shape(feed(text, size).element), shape(feed(text).element));
		}),
		{ numRuns: 1500 },
	);
});

test("formulas end as in the canonical render", () => {
	// Blanks at the start of a line and lists are left out: markdown-it keeps the first ones in code, and tells too late
	// how deep a line stands in the others.
	const flat = document.filter((text) => !/[>]|^[ ]*(?:-|\*\s)/m.test(text) && !/- /.test(text));
	fc.assert(
		fc.property(flat, fc.constantFrom(1, 7, 64), (said, size) => {
			const text = `${said}\n`.replaceAll(/\n +/g, "\n");
			assert.equal(shape(feed(text, size).element), shape(renderWhole(text)));
		}),
		{ numRuns: 800 },
	);
});

const LONG = 30_000;
for (const [name, text] of Object.entries({
	dollars: "$a ".repeat(LONG / 3),
	"double dollars": "$$a ".repeat(LONG / 4),
	"odd dollars": "$$$a ".repeat(LONG / 5),
	"opened parentheses": "\\(a ".repeat(LONG / 4),
	"opened brackets": "a \\[".repeat(LONG / 4),
	"lines that open": "$$a\n\\[b\n".repeat(LONG / 8),
	"lines of one that open": "\\[b\n".repeat(LONG / 4),
	"items that open": "- \\[b\n- $$c\n".repeat(LONG / 12),
	"one that never ends": `$$\n${"a + b\n".repeat(LONG / 6)}`,
	"blanks before its end": `$a${" ".repeat(LONG)}b$`,
})) {
	test(`a flood of ${name} of formulas does not hang the panel`, () => {
		const { cpuMs } = measured(() => feed(text, 400));
		assert.ok(cpuMs < 2_500, `${Math.round(cpuMs)} ms`);
	});
}

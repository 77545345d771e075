/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { tests as examples } from "commonmark-spec";
import fc from "fast-check";
import { md } from "#webview/markdown/parser.ts";
import { MarkdownView } from "#webview/markdown/view.ts";
import { shownText } from "#webview/reply-article.ts";
import { shape } from "../support/dom.ts";
import { feed } from "../support/feed.ts";
import { renderWhole } from "../support/whole-render.ts";

test("every CommonMark example fed in pieces ends as its canonical render", () => {
	assert.equal(examples.length, 652);
	for (const { markdown, number, section } of examples) {
		const text = markdown.replaceAll("→", "\t");
		const whole = shape(renderWhole(text));
		for (const size of [1, 7, 64]) {
			assert.equal(shape(feed(text, size).element), whole, `example ${number}, ${section}, ${size} at a time`);
		}
	}
});

const LINE = "some *marked* words and `code` in";
const PIECES = [
	"- ·* ·1. ·42. ·2) ·> ·  ·    ·\t·\n·\n\n·\r\n·\r·a·foo bar ·some more words to fill a line ·# ·## x ##·```·~~~·$$·$a$",
	'`·``·*·**·_·~~·!·\\·&amp;·[·]·](·(/u "t")·[foo]·[foo]: /url\n·[^1]: n\n·<http://x.y>·http://a.b/c_d·---·===·-\n',
	"|·| a | b |\n·|-|-|\n·- a\n- b\n·- a\n\n- b\n·   - c\n·1. a\n2. b\n·- [x] a\n·- [ ·[x] ·[ ]·<br>·<br ",
].flatMap((pieces) => pieces.split("·"));
const document = fc.array(fc.constantFrom(...PIECES), { minLength: 3, maxLength: 30 }).map((parts) => parts.join(""));

test("a text ends as its canonical render, however it was cut into pieces", () => {
	const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });
	fc.assert(
		fc.property(document, cuts, (text, sizes) => {
			const view = new MarkdownView();
			for (let at = 0, i = 0; at < text.length; i += 1) {
				const size = sizes[i % sizes.length] ?? 1;
				view.append(text.slice(at, at + size));
				at += size;
			}
			view.end();
			const lines = text.replaceAll(/\r\n?/g, "\n");
			const whole = renderWhole(lines.endsWith("\n") ? lines : `${lines}\n`);
			assert.equal(shape(view.element), shape(whole));
		}),
		{ numRuns: 1_500 },
	);
});

test("a text that comes at once is built in steps, and ends as its canonical render", () => {
	const block = fc.constantFrom(0, 1, 5, Number.POSITIVE_INFINITY);
	fc.assert(
		fc.property(document, document, fc.integer({ min: 1, max: 40 }), block, (text, more, step, block) => {
			const view = new MarkdownView(step);
			view.append(text);
			// More comes meanwhile, or once all is built.
			for (let left = step; left > 0 && !view.built; left -= 1) view.build(block);
			view.append(more);
			view.end();
			while (!view.built) view.build(block);
			const lines = (text + more).replaceAll(/\r\n?/g, "\n");
			const whole = renderWhole(lines.endsWith("\n") ? lines : `${lines}\n`);
			assert.equal(shape(view.element), shape(whole));
		}),
		{ numRuns: 400 },
	);
});

test("a long text is built from its end, and its source stands where it is not built", () => {
	const text = (n: number) => `${n} *some* words\n\n`.repeat(1000);
	const view = new MarkdownView();
	view.append([1, 2, 3].map(text).join(""));
	view.end();
	const { element } = view;
	assert.match(element.textContent, /^1 \*some\*.*3 \*some\* words\s*$/s);
	let steps = 0;
	for (; !view.built; steps += 1) {
		const last = element.lastElementChild;
		if (last?.className === "section") assert.match(last.textContent, /3 some words$/);
		if (element.querySelector("p") !== null) assert.equal(last?.className, "section");
		view.build();
	}
	assert.ok(steps > 10, String(steps));
	assert.equal(element.querySelectorAll("p").length, 3000);
	assert.equal(element.querySelector(".unbuilt"), null);
});

test("finished blocks, and what is finished inside of open ones, keep their nodes", () => {
	const kinds = [
		{ head: "First *paragraph*.\n\n- one\n\nThen ", more: "more, and *more*\n\n- two\n", nodes: "p, em, li" },
		{ head: "Some *marked* words, `code` and **bo", more: "ld** at the end", nodes: "em, code" },
		{ head: "- one\n- two\n- th", more: "ree\n- four\n", nodes: "li" },
		{ head: "| a |\n|---|\n| 1 |\n| 2", more: " |\n| 3 |\n", nodes: "tr" },
		{ head: "```\none\ntw", more: "o\nthree\n", nodes: "code" },
	];
	for (const { head, more, nodes } of kinds) {
		const view = new MarkdownView();
		view.append(head);
		const before = [...view.element.querySelectorAll(nodes)];
		assert.ok(before.length > 0, nodes);
		view.append(more);
		assert.deepEqual([...view.element.querySelectorAll(nodes)].slice(0, before.length), before, nodes);
	}
});

test("a long list stands in sections, with the numbers and the text of a short one", () => {
	const { element } = feed(Array.from({ length: 600 }, (_, n) => `${n + 3}. item\n`).join(""), 7);
	const first = [...element.querySelectorAll("ol > .section")].map((section) => section.querySelector("li"));
	assert.deepEqual(
		first.map((item) => item?.getAttribute("value")),
		[null, "259", "515"],
	);
	const lines = shownText(element).split("\n");
	assert.deepEqual([lines.length, lines[0], lines.at(-1)], [600, "3. item", "602. item"]);
});

test("text is shown before its line is complete", () => {
	const view = new MarkdownView();
	for (const [piece, text] of [
		["The ans", "The ans"],
		["wer\n\n- fi", "The answerfi"],
		["rst\n\n| a", "The answerfirst| a"],
	] as const) {
		view.append(piece);
		assert.equal(view.element.textContent, text);
	}
});

test("a text behind too many marks shows before its line is complete", () => {
	for (const mark of ["- ", "> ", "1. ", "> + ", "- 2) "]) {
		for (const end of ["some words", "- - -", "1. ", "# words", "|-|-|", "    words"]) {
			const text = mark.repeat(70) + end;
			for (const size of [1, 64]) assert.equal(shape(feed(text, size).element), shape(feed(text).element), text);
		}
		const view = new MarkdownView();
		view.append(`${mark.repeat(70)}some words`);
		assert.match(view.element.textContent, /some words$/, mark);
	}
});

test("a definition at the end makes links of the brackets before it", () => {
	const view = feed(
		"See [the guide] and [this][the guide].\n\n- [the guide]\n\n[the guide]: https://example.org/g\n",
		5,
	);
	const links = [...view.element.querySelectorAll("a")].map((link) => link.getAttribute("href"));
	assert.deepEqual(links, Array(3).fill("https://example.org/g"));
	assert.equal(view.element.textContent.includes("[the guide]:"), false);
});

test("a footnote is text: taken for a link's target its note would vanish", () => {
	const text = feed("A claim[^1].\n\n[^1]: the note of it\n", 3).element.textContent;
	assert.ok(text.includes("A claim[^1]."));
	assert.ok(text.includes("[^1]: the note of it"));
});

test("source goes into sections of about 16 KB, and all but the last are settled", () => {
	const view = feed("A paragraph of some length.\n\n".repeat(3000), 997);
	const sections = [...view.element.children];
	assert.ok(sections.length >= 4 && sections.length <= 7, String(sections.length));
	assert.deepEqual(
		sections.map((section) => section.classList.contains("settled")),
		sections.map((_, i) => i < sections.length - 1),
	);
});

/** Letters that are given to the grammar of lines while `text` is fed in small pieces. */
function lettersParsed(text: string): number {
	let parsed = 0;
	const { parse } = md.inline;
	md.inline.parse = (...given) => {
		parsed += given[0].length;
		parse.apply(md.inline, given);
	};
	try {
		feed(text, 16);
	} finally {
		md.inline.parse = parse;
	}
	return parsed;
}

const SHAPES: Readonly<Record<string, (n: number) => string>> = {
	"nested lists": (n) => `${"  ".repeat(n % 5)}- item ${n}: ${LINE}\n`,
	"nested numbered lists": (n) => `${"   ".repeat(n % 4)}${n % 4 === 0 ? n : 1}. ${LINE}\n`,
	"loose nested lists": (n) => `${"  ".repeat(n % 3)}- item ${n}\n\n${"  ".repeat((n % 3) + 1)}${LINE}\n\n`,
	"lists in quotes": (n) => `> ${"  ".repeat(n % 4)}- item ${n}: ${LINE}\n`,
	"a table": (n) => (n === 0 ? "| a | b |\n|---|---|\n" : `| ${n} | ${LINE} |\n`),
};

for (const [name, line] of Object.entries(SHAPES)) {
	test(`finished blocks are not parsed again, however long: ${name}`, () => {
		const text = (lines: number) => Array.from({ length: lines }, (_, n) => line(n)).join("");
		const short = lettersParsed(text(50));
		const long = lettersParsed(text(200));
		assert.ok(long <= 6 * text(200).length, `${long} letters parsed of ${text(200).length}`);
		assert.ok(long <= 4.6 * short, `${long} letters parsed, ${short} for a quarter`);
	});
}

test("finished paragraphs are not read again where a piece ends within a line", () => {
	const { parse } = md.block;
	for (const size of [61, 100, 137]) {
		let read = 0;
		let longest = 0;
		md.block.parse = (...given) => {
			read += given[0].length;
			longest = Math.max(longest, given[0].length);
			parse.apply(md.block, given);
		};
		const text = Array.from({ length: 300 }, (_, n) => `${n} ${LINE}\n\n`).join("");
		try {
			feed(text, size);
		} finally {
			md.block.parse = parse;
		}
		assert.ok(longest < 2_000, `${longest} letters read at once in pieces of ${size}`);
		assert.ok(read < 12 * text.length, `${read} letters read of ${text.length} in pieces of ${size}`);
	}
});

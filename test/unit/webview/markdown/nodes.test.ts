/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { measured } from "../../../support/cpu-time.ts";
import { feed } from "../support/feed.ts";
import "../support/dom.ts";

/** Long enough that work in the square or worse of the length shows; the document of these tests is itself slow. */
const LONG = 30_000;
const FLOODS: Readonly<Record<string, string>> = {
	"one line of 1 MB": "word ".repeat(200_000),
	"one line without a blank": "x".repeat(LONG),
	stars: "*a ".repeat(LONG / 3),
	"open brackets": "[".repeat(LONG),
	"open images": "![a](".repeat(LONG / 5),
	backticks: "`".repeat(LONG),
	"backticks of growing length": Array.from({ length: 700 }, (_, i) => "`".repeat(i)).join(" "),
	quotes: ">".repeat(LONG),
	"nested lists": "- ".repeat(LONG / 2),
	"one line that is never certain": "* ".repeat(LONG / 2),
	"an info string without end": `\`\`\`${"i".repeat(LONG)}`,
	"a wide table over short rows": `${"|a".repeat(1000)}|\n${"|-".repeat(1000)}|\n${"|x|\n".repeat(15)}`,
	dollars: "$a ".repeat(LONG / 3),
	"double dollars": "$$a ".repeat(LONG / 12),
	"opened formulas": "\\(a \\[".repeat(LONG / 6),
	definitions: "[a]: /u\n".repeat(LONG / 8),
	"an open definition": `[a${"b\n".repeat(LONG / 2)}`,
	"a growing row": `| a |\n|---|\n|${" cell ".repeat(LONG / 6)}`,
	entities: "&amp;".repeat(LONG / 5),
	autolinks: "<http://a".repeat(LONG / 36),
	"closing marks behind an address": `http://a.b/${")".repeat(LONG)} x`,
	"list marks before the text of a line": `${"- ".repeat(LONG)}x${"y".repeat(4 * LONG)}`,
	"different definitions": Array.from({ length: LONG / 3 }, (_, i) => `[a${i}]: /b\n\n`).join(""),
	"blanks inside a heading": `# a${" ".repeat(4 * LONG)}b`,
	"blanks before the closing marks of a heading": `# a${" ".repeat(4 * LONG)}#b`,
	"blanks inside a line of code": `\`\`\`\n\`\`\`${" ".repeat(4 * LONG)}b\n\`\`\``,
};

for (const [name, text] of Object.entries(FLOODS)) {
	test(`a flood of ${name} does not hang the panel`, () => {
		const { result, cpuMs } = measured(() => feed(text, 400));
		assert.ok(cpuMs < 20_000, `${Math.round(cpuMs)} ms`);
		let depth = 0;
		for (let node: Element | null = result.element; node !== null; node = node.lastElementChild) depth += 1;
		assert.ok(depth < 300, `depth ${depth}`);
	});
}

test("a line without a blank costs what is new of it, not what there is", () => {
	const { cpuMs } = measured(() => feed("x".repeat(400_000), 8));
	assert.ok(cpuMs < 20_000, `${Math.round(cpuMs)} ms`);
});

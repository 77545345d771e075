import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonLines } from "#app/petstore/json-lines.ts";

test("each value has the line in which it begins, whatever breaks the lines", () => {
	const { lines, brokenAt } = jsonLines('[\n  {"a": 1,\r\n   "b": {"c":\n [true, "x\\"}"]}},\n\n  null\n]\n');
	assert.equal(brokenAt, undefined);
	const expected = {
		"": 1,
		"[0]": 2,
		"[0].a": 2,
		"[0].b": 3,
		"[0].b.c": 4,
		"[0].b.c[0]": 4,
		"[0].b.c[1]": 4,
		"[1]": 6,
	};
	assert.deepEqual(Object.fromEntries(lines), expected);
});

test("the first name that an object has twice is told by its place, and stands in the line of the second", () => {
	const { lines, twice } = jsonLines('[{"a": 1}, {"a": 1, "b": [1],\n "a": 2, "b": 3}]');
	assert.equal(twice, "[1].a");
	assert.equal(lines.get("[1].a"), 2);
	assert.equal(jsonLines('{"a": {"a": 1}, "b": {"a": 2}}').twice, undefined);
});

const BROKEN: ReadonlyArray<readonly [text: string, line: number]> = [
	["", 1],
	["\n\n{\n", 4],
	['{\n "a": 1\n "b": 2}', 3],
	['{\n "a": 1,\n}', 3],
	["[1,\n2,\n]", 3],
	['{\n "a" 1}', 2],
	['[\n"open]', 2],
	["[1]\n x", 2],
	["[\n01]", 2],
	["[\ntru]", 2],
	['{\n"a": "\t"}', 2],
	["[".repeat(200), 1],
];
for (const [text, line] of BROKEN) {
	test(`${JSON.stringify(text.slice(0, 20))} is no JSON from line ${line} on`, () => {
		assert.equal(jsonLines(text).brokenAt, line);
	});
}

test("what is JSON to the editor's own parser is JSON here, and nothing else is", () => {
	const parses = (text: string) => {
		try {
			JSON.parse(text);
			return true;
		} catch {
			return false;
		}
	};
	const pieces = fc.constantFrom(
		"{",
		"}",
		"[",
		"]",
		":",
		",",
		'"a"',
		'"',
		"\\",
		"1",
		"-",
		"0",
		".5",
		"e2",
		" ",
		"\n",
		"null",
	);
	const texts = fc.oneof(
		fc.json({ maxDepth: 5 }),
		fc.array(pieces, { maxLength: 12 }).map((all) => all.join("")),
	);
	fc.assert(fc.property(texts, (text) => assert.equal(jsonLines(text).brokenAt === undefined, parses(text))));
});

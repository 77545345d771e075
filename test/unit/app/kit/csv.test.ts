import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cellText, csvLineOf, readCsv, textCell } from "#app/kit/csv.ts";

const cellsOf = (text: string) => readCsv(text, "petstore").map(({ cells }) => cells);

test("a quoted cell keeps separators, quotes and line breaks, and any cell its spaces", () => {
	assert.deepEqual(cellsOf('a,b\n"x, ""y""\nz",  plain  \n" kept ",\n'), [
		["a", "b"],
		['x, "y"\nz', "  plain  "],
		[" kept ", ""],
	]);
});

test("spaces around a quoted cell are left out", () => {
	assert.deepEqual(cellsOf('a,b\n1, "x, y" \n "2",3'), [
		["a", "b"],
		["1", "x, y"],
		["2", "3"],
	]);
});

test("a row has the line it begins in, also after multi-line cells and blank lines", () => {
	const rows = readCsv('\uFEFFa,b\r\n"1\r\n2",3\r\n\r\n , \r\n4,5', "petstore");
	assert.deepEqual(
		rows.map(({ line }) => line),
		[1, 2, 6],
	);
});

test("semicolons and tabs separate where they separate the first row", () => {
	assert.deepEqual(cellsOf("a;b\n1,5;2"), [
		["a", "b"],
		["1,5", "2"],
	]);
	assert.deepEqual(cellsOf("a\tb\n1,5\t2"), [
		["a", "b"],
		["1,5", "2"],
	]);
});

test("a quotation mark that is unclosed, or inside a cell, is reported with its line", () => {
	for (const text of ['a,b\n1,"2\n3', 'a\n"1"2', 'a\nx"y']) assert.throws(() => readCsv(text, "petstore"), { line: 2 });
	assert.deepEqual(readCsv("", "petstore"), []);
});

test("cells are read as the texts that they were written from, formulas included", () => {
	const text = fc.oneof(fc.string(), fc.stringMatching(/^'{0,2} ?[=+@-]1$/));
	const rows = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
	const written = (cells: readonly string[]) => csvLineOf(cells.map((cell) => textCell(cell)));
	fc.assert(
		fc.property(rows, (all) => {
			const filled = [["name", "other"], ...all.filter((cells) => cells.some((cell) => cell.trim() !== ""))];
			const read = cellsOf(filled.map(written).join(""));
			assert.deepEqual(
				read.map((cells) => cells.map(cellText)),
				filled,
			);
		}),
	);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCsv } from "#app/petstore/csv.ts";

const cellsOf = (text: string) => readCsv(text).rows.map(({ cells }) => cells);

test("a quoted cell keeps separators, quotation marks and line breaks, and any cell its spaces", () => {
	assert.deepEqual(cellsOf('a,b\n"x, ""y""\nz",  plain  \n" kept ",\n'), [
		["a", "b"],
		['x, "y"\nz', "  plain  "],
		[" kept ", ""],
	]);
});

test("a row has the line in which it begins, also below a cell of several lines and an empty line", () => {
	const { rows } = readCsv('\uFEFFa,b\r\n"1\r\n2",3\r\n\r\n , \r\n4,5');
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

test("a quotation mark that is never closed, or not around a whole cell, is told with its line", () => {
	assert.equal(readCsv('a,b\n1,"2\n3').brokenAt, 2);
	assert.equal(readCsv('a\n"1"2').brokenAt, 2);
	assert.equal(readCsv('a\nx"y').brokenAt, 2);
	assert.equal(readCsv("").brokenAt, undefined);
});

test("cells that are written with quotation marks are read as they were", () => {
	const rows = fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
	const written = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
	fc.assert(
		fc.property(rows, (all) => {
			const filled = [["name", "other"], ...all.filter((cells) => cells.some((cell) => cell.trim() !== ""))];
			assert.deepEqual(cellsOf(filled.map(written).join("\n")), filled);
		}),
	);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK_ROWS, chunkLook, chunkOf, chunkStart } from "#editor/kit/chunks.ts";

/** A list of numbers, whose groups are named by the place at which they begin. */
function list(length: number) {
	const numbers = Array.from({ length }, (_, index) => index);
	const children = (from: number) => {
		const rows = (first: number, end: number) => numbers.slice(first, end);
		const all = { length: numbers.length, rows, group: (next: number) => `@${next}`, last: "last" };
		return chunkOf<number | string>(all, from);
	};
	/** What is below a row, with everything open, as the editor asks for it. */
	const below = (row: number | string): readonly (number | string)[] =>
		typeof row === "string" && row.startsWith("@")
			? children(Number(row.slice(1))).flatMap((child) => [child, ...below(child)])
			: [];
	return { numbers, children, below };
}

test("a list that is not long has no groups", () => {
	const { children, numbers } = list(CHUNK_ROWS);
	assert.deepEqual(children(0), [...numbers, "last"]);
	assert.deepEqual(list(0).children(0), ["last"]);
});

test("every row is there once, in order, whatever the length, and what stands after the last one is last", () => {
	for (const length of [0, 1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 3 * CHUNK_ROWS, 10 * CHUNK_ROWS + 7]) {
		const { numbers, below } = list(length);
		const rows = below("@0");
		assert.deepEqual(
			rows.filter((row) => typeof row === "number"),
			numbers,
		);
		assert.equal(rows.at(-1), "last");
		assert.equal(rows.filter((row) => row === "last").length, 1);
	}
});

test("no row has more below it than a chunk and what comes after it", () => {
	const { children } = list(10 * CHUNK_ROWS + 1);
	for (let from = 0; from <= 10 * CHUNK_ROWS; from += CHUNK_ROWS) {
		assert.ok(children(from).length <= CHUNK_ROWS + 1);
	}
});

test("what is drawn again when rows are added holds all of them, and no more than a chunk beside them", () => {
	const { numbers, below } = list(0);
	for (let length = 0; length < 10_000; length += 100) {
		numbers.push(...Array.from({ length: 100 }, (_, index) => length + index));
		const drawn = below(`@${chunkStart(length)}`);
		assert.deepEqual(drawn.filter((row) => typeof row === "number").slice(-100), numbers.slice(-100));
		assert.ok(drawn.length <= CHUNK_ROWS + 100 + 2, `${drawn.length} rows for a hundred after ${length}`);
	}
});

test("a list that ends earlier than before is drawn again where it ends", () => {
	const { numbers, children, below } = list(2_500);
	for (const length of [2_100, 2_000, 1_001, 1_000, 10]) {
		numbers.length = length;
		assert.equal(below(`@${chunkStart(length)}`).at(-1), "last");
		assert.ok(children(chunkStart(length)).includes("last"));
	}
});

test("a group says by people's numbers which rows are in it", () => {
	const look = chunkLook("Issues", { from: 1_000, to: 1_250 });
	assert.equal(look.label, "Issues 1,001\u20131,250");
	assert.equal(look.spoken, "Issues 1,001 to 1,250");
});

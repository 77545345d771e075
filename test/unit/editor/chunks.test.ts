import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK_ROWS, Chunks, chunkLook } from "#editor/chunks.ts";

/** A list of numbers, whose groups are named by the place at which they begin. */
function list(length: number, isScattered = false) {
	const numbers = Array.from({ length }, (_, index) => index);
	const chunks = new Chunks<number | string>({
		home: () => "@0",
		length: () => numbers.length,
		rows: (from, to) => numbers.slice(from, to),
		group: (from) => `@${from}`,
		last: () => "last",
		isScattered: () => isScattered,
	});
	/** What is below a row, with everything open, as the editor asks for it. */
	const below = (row: number | string): readonly (number | string)[] =>
		typeof row === "string" && row.startsWith("@")
			? chunks.children(Number(row.slice(1))).flatMap((child) => [child, ...below(child)])
			: [];
	return { numbers, chunks, below };
}

test("a list that is not long has no groups", () => {
	const { chunks, numbers } = list(CHUNK_ROWS);
	assert.deepEqual(chunks.children(0), [...numbers, "last"]);
	assert.deepEqual(list(0).chunks.children(0), ["last"]);
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
	const { chunks } = list(10 * CHUNK_ROWS + 1);
	for (let from = 0; from <= 10 * CHUNK_ROWS; from += CHUNK_ROWS) {
		assert.ok(chunks.children(from).length <= CHUNK_ROWS + 1);
	}
});

test("what is drawn again when rows are added holds all of them, and no more than a chunk beside them", () => {
	const { numbers, chunks, below } = list(0);
	for (let length = 0; length < 10_000; length += 100) {
		numbers.push(...Array.from({ length: 100 }, (_, index) => length + index));
		const drawn = below(chunks.holder(length));
		assert.deepEqual(drawn.filter((row) => typeof row === "number").slice(-100), numbers.slice(-100));
		assert.ok(drawn.length <= CHUNK_ROWS + 100 + 2, `${drawn.length} rows for a hundred after ${length}`);
	}
});

test("where rows come anywhere the groups stand beside each other, and one that is drawn again is nobody's but its list's", () => {
	for (const length of [0, CHUNK_ROWS, CHUNK_ROWS + 1, 3 * CHUNK_ROWS, 10 * CHUNK_ROWS + 7]) {
		const { numbers, chunks, below } = list(length, true);
		assert.deepEqual(
			below("@0").filter((row) => typeof row === "number"),
			numbers,
		);
		const children = chunks.children(0);
		const groups = children.filter((row) => typeof row === "string" && row.startsWith("@"));
		assert.equal(groups.length, Math.max(Math.ceil(length / CHUNK_ROWS) - 1, 0));
		assert.equal(children.at(-1), "last");
		assert.equal(below("@0").filter((row) => row === "last").length, 1);
		for (const place of [0, length]) assert.equal(chunks.holder(place), "@0");
	}
});

test("a list that ends earlier than before is drawn again where it ends", () => {
	const { numbers, chunks, below } = list(2_500);
	for (const length of [2_100, 2_000, 1_001, 1_000, 10]) {
		numbers.length = length;
		assert.equal(below(chunks.holder(length)).at(-1), "last");
		assert.ok(chunks.children(Number(String(chunks.holder(length)).slice(1))).includes("last"));
	}
});

test("a group says by people's numbers which rows are in it", () => {
	const look = chunkLook("Issues", { from: 1_000, to: 1_250, opens: "open" });
	assert.equal(look.label, "Issues 1,001\u20131,250");
	assert.equal(look.spoken, "Issues 1,001 to 1,250");
});

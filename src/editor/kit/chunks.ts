import type { RowLook } from "./tree.ts";

/** Number of rows of a list that stand below one row of the editor's tree. */
export const CHUNK_ROWS = 1_000;

/** A list of rows that may be long. `R` is a row. */
export interface ChunkedList<R> {
	readonly length: number;
	/** Rows from one place up to, but without, another. */
	readonly rows: (from: number, to: number) => readonly R[];
	/** Row under which those from that place on stand; the same one each time. */
	readonly group: (from: number) => R;
	/** Row after the last one of all. */
	readonly last: R | undefined;
}

/**
 * Rows below the group that begins at a place; below the list's own row for 0. Each group stands at the end of the one
 * before it: the editor cannot add a row, it draws all children of the row above again, so new rows cost one group.
 */
export function chunkOf<R>({ length, rows, group, last }: ChunkedList<R>, from: number): readonly R[] {
	const end = from + CHUNK_ROWS;
	const own = rows(from, Math.min(end, length));
	const after = end < length ? group(end) : last;
	return after === undefined ? own : [...own, after];
}

/** Place at which the group begins that is drawn again when the list has changed from a place on. */
export function chunkStart(place: number): number {
	// A group that begins just there is a child of the one before it.
	return Math.floor(Math.max(place - 1, 0) / CHUNK_ROWS) * CHUNK_ROWS;
}

/** Look of a group: `noun` names its rows, such as `Issues`; `to` is the place after its last row so far. */
export function chunkLook(noun: string, { from, to }: { readonly from: number; readonly to: number }): RowLook {
	const [first, last] = [from + 1, to].map((place) => place.toLocaleString("en"));
	return {
		label: `${noun} ${first}\u2013${last}`,
		icon: "list-unordered",
		spoken: `${noun} ${first} to ${last}`,
		context: "chunk",
		opens: "open",
	};
}

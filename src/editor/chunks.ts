import type { RowLook } from "./tree.ts";

/** How many rows of a list stand below one row of the editor's tree. */
export const CHUNK_ROWS = 1_000;

/** A list of rows that may be long. `R` is a row. */
export interface ChunkParts<R> {
	/** The row that the list belongs to. The first thousand stand below it as they are, so that most lists have no group. */
	readonly home: () => R;
	/** How many rows there are now. */
	readonly length: () => number;
	/** The rows from one place up to, but without, another. */
	readonly rows: (from: number, to: number) => readonly R[];
	/** The row under which those from that place on stand; always the same one for the same place. */
	readonly group: (from: number) => R;
	/** What stands after the last row of all. */
	readonly last?: () => R | undefined;
	/** Whether new rows may come anywhere in the list instead of at its end; at the end only where absent. */
	readonly isScattered?: () => boolean;
}

/**
 * Gives the editor a long list in groups, each at the end of the one before it. The editor cannot add a row: it asks
 * again for all children of the row above, with what is open below them, and draws them all. So the new rows are in the
 * innermost group, and adding some costs the same however many there are. Where new rows come anywhere, the groups stand
 * beside each other, to be closed ones: what is in those is not drawn again.
 */
export class Chunks<R> {
	readonly #parts: ChunkParts<R>;

	constructor(parts: ChunkParts<R>) {
		this.#parts = parts;
	}

	/** What stands below the group of the rows from that place on; below the list's own row for 0. */
	children(from: number): readonly R[] {
		const { length, rows, last } = this.#parts;
		const end = from + CHUNK_ROWS;
		const own = rows(from, Math.min(end, length()));
		const groups = this.#groupsBelow(from);
		const isEnd = this.#isScattered ? from === 0 : groups.length === 0;
		const after = isEnd ? last?.() : undefined;
		return after === undefined ? [...own, ...groups] : [...own, ...groups, after];
	}

	/** The row that is to be drawn again, with what is below it, when the list has become another from that place on. */
	holder(place: number): R {
		if (this.#isScattered) return this.#parts.home();
		// A group that begins just there is a child of the one before it.
		const from = Math.floor(Math.max(place - 1, 0) / CHUNK_ROWS) * CHUNK_ROWS;
		return from === 0 ? this.#parts.home() : this.#parts.group(from);
	}

	get #isScattered(): boolean {
		return this.#parts.isScattered?.() === true;
	}

	/** The groups right below the one of the rows from that place on. */
	#groupsBelow(from: number): readonly R[] {
		const { length, group } = this.#parts;
		const isBeside = this.#isScattered;
		if (isBeside && from > 0) return [];
		const groups: R[] = [];
		for (let next = from + CHUNK_ROWS; next < length(); next += CHUNK_ROWS) {
			groups.push(group(next));
			if (!isBeside) break;
		}
		return groups;
	}
}

/** How a group looks: `noun` names what is in it, such as `Issues`; `to` is the place after its last row so far. */
export function chunkLook(
	noun: string,
	{ from, to, opens }: { readonly from: number; readonly to: number; readonly opens: "open" | "closed" },
): RowLook {
	const [first, last] = [from + 1, to].map((place) => place.toLocaleString("en"));
	return {
		label: `${noun} ${first}\u2013${last}`,
		icon: "list-unordered",
		spoken: `${noun} ${first} to ${last}`,
		context: "chunk",
		opens,
	};
}

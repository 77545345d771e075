import type { Cursor } from "./cursor.ts";
import type { Leaf } from "./leaves.ts";

/** A line on its way through the steps. */
export class LineStart {
	cursor: Cursor;
	/** How many open containers the line continues. */
	readonly matched: number;
	/** True when it continues all of them. */
	readonly all: boolean;
	/** True when more of the line is to come. */
	open: boolean;
	/** The open leaf, where the line continues everything around it. */
	leaf: Leaf | undefined;
	/** True once what the line does not continue has been closed. */
	closed = false;

	constructor(cursor: Cursor, facts: { readonly matched: number; readonly all: boolean; readonly open: boolean }) {
		this.cursor = cursor;
		this.matched = facts.matched;
		this.all = facts.all;
		this.open = facts.open;
	}
}

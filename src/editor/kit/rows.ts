import type { MarkdownString } from "vscode";
import { type FailureWords, FIXES } from "./error-words.ts";
import { wordRanges } from "./text.ts";

/** Fields of a command's argument or of a row, still of unknown types. */
export type Fields = Readonly<Record<string, unknown>>;

/** Look of a row, and what a menu or Enter does with it. */
export interface RowLook {
	readonly label: string;
	readonly description?: string | undefined;
	readonly icon?: string | undefined;
	/** The id of the theme colour of the icon. */
	readonly color?: string | undefined;
	/** Words of a screen reader in place of label and description. */
	readonly spoken: string;
	/** Value for the conditions of the menus. */
	readonly context: string;
	/** State of a row that can be opened when it is drawn first; it keeps what the person has done since. */
	readonly opens?: "open" | "closed" | undefined;
	/** The command that Enter and a click run, with the row as its argument where it names none. */
	readonly command?: { readonly id: string; readonly title: string; readonly argument?: unknown } | undefined;
	readonly highlights?: readonly [number, number][] | undefined;
}

/** A row as it is now. */
export interface RowParts {
	/** Unique among the rows beside it and the same whenever its subject is. */
	readonly key: string;
	/** Subject of the row, as the argument of a command names it. */
	readonly fields?: Fields | undefined;
	/** Costs nothing while it is the same object as before. */
	readonly look: RowLook;
	/** Never waits for a service: one that is silent would keep back the rows of all others. */
	children?(): readonly RowParts[];
	/** Shown on hover, and asked for only then; without it a hover shows the whole description, where there is one. */
	readonly card?: (() => MarkdownString) | undefined;
	/** Set for a row under which a part of its parent's rows stands: they go from one part to another and stay the same. */
	readonly isChunk?: boolean;
}

/** One row of a tree. The editor knows a row by its object, so the one of an id stays the same while it is shown. */
export class Row {
	/** Unique in its tree. */
	readonly id: string;
	parts: RowParts;
	parent: Row | undefined;
	/** Rows below it as the editor knows them; undefined before it has asked. */
	below: readonly Row[] | undefined;
	/** True while it is closed: what is below it is not asked for, which may load it. */
	isClosed = false;
	/** Text of the card that the editor keeps for it, once it was hovered. */
	card: string | undefined;

	constructor(id: string, parts: RowParts, parent?: Row) {
		this.id = id;
		this.parts = parts;
		this.parent = parent;
	}

	get fields(): Fields {
		return this.parts.fields ?? {};
	}
}

/** With more rows than this to be drawn again below one, that one is drawn again instead. */
const MOST_SINGLE_ROWS = 20;

const NONE: readonly Row[] = [];

/**
 * Rows of a tree. Each keeps its object, so that drawing a tree anew leaves expansion, selection and focus as they are;
 * only those that are not as before are drawn.
 */
export class Rows {
	/** Stands for the tree itself. */
	readonly root: Row;
	#rows = new Map<string, Row>();
	#hasStale = false;

	/** `roots` gives the rows at the top. */
	constructor(roots: () => readonly RowParts[]) {
		this.root = new Row("", { key: "", look: { label: "", spoken: "", context: "" }, children: roots });
	}

	/** Rows below one, as they are now: for the editor, which takes them on. */
	below(row: Row): readonly Row[] {
		row.isClosed = false;
		const scope = row.parts.isChunk ? row.id.slice(0, row.id.lastIndexOf("\n")) : row.id;
		const before = row.below ?? NONE;
		row.below = (row.parts.children?.() ?? []).map((parts, index) => {
			const same = before[index];
			// Nearly all of thousands are just as they were.
			if (same?.parts === parts && same.parent === row) return same;
			const id = `${scope}\n${parts.key}`;
			const known = this.#rows.get(id);
			if (known === undefined) {
				const made = new Row(id, parts, row);
				this.#rows.set(id, made);
				return made;
			}
			known.parts = parts;
			known.parent = row;
			return known;
		});
		return row.below;
	}

	/** Takes on how all rows are now that the editor knows. Gives those to be drawn again, each with all that is below it. */
	update(): readonly Row[] {
		// Only by now has the editor asked where the rows of the last time stand.
		if (this.#hasStale) this.#prune();
		const stale = this.#update(this.root);
		this.#hasStale = stale.length > 0;
		return stale;
	}

	#update(row: Row): readonly Row[] {
		const before = row.below;
		if (before === undefined || row.isClosed) return NONE;
		const looks = before.map(({ parts }) => parts.look);
		const now = this.below(row);
		if (now.length !== before.length || now.some((each, index) => each !== before[index])) return [row];
		const others = now.filter((each, index) => !isAlike(looks[index], each.parts.look) || isCardStale(each));
		if (others.length > MOST_SINGLE_ROWS) return [row];
		for (const each of others) each.card = undefined;
		return [...others, ...now.flatMap((each) => (others.includes(each) ? NONE : this.#update(each)))];
	}

	/** Forgets the rows that are below no other any more. */
	#prune(): void {
		this.#rows = new Map();
		const keep = (row: Row) => {
			for (const each of row.below ?? NONE) {
				this.#rows.set(each.id, each);
				keep(each);
			}
		};
		keep(this.root);
	}
}

function isAlike(before: RowLook | undefined, after: RowLook): boolean {
	return before === after || JSON.stringify(before) === JSON.stringify(after);
}

/** True if the card that the editor keeps says something else by now; rows below a row are too many to draw for that. */
function isCardStale({ card, parts, below = NONE }: Row): boolean {
	return card !== undefined && below.length === 0 && card !== (parts.card?.().value ?? "");
}

/** Number of rows of a list that stand below one row of the editor's tree. */
export const CHUNK_ROWS = 1_000;

/** A list of rows that may be long. */
interface ChunkedList<T> {
	/** Name of its rows, such as `Issues`. */
	readonly noun: string;
	readonly items: readonly T[];
	readonly row: (item: T) => RowParts;
	/** Row after the last one of all. */
	readonly last: RowParts | undefined;
	/** Fields of the rows under which its parts stand. */
	readonly fields?: Fields;
}

/**
 * Rows of a list from a place on. Each chunk after the first stands under a row at the end of the one before it: the
 * editor cannot add a row, it draws all children of the row above again, so new rows cost one chunk.
 */
export function chunked<T>(all: ChunkedList<T>, from = 0): readonly RowParts[] {
	const { noun, items, row, last, fields } = all;
	const end = from + CHUNK_ROWS;
	const own = items.slice(from, end).map(row);
	if (end >= items.length) return last === undefined ? own : [...own, last];
	const [first, to] = [end + 1, Math.min(end + CHUNK_ROWS, items.length)].map((place) => place.toLocaleString("en"));
	const look: RowLook = {
		label: `${noun} ${first}\u2013${to}`,
		icon: "list-unordered",
		spoken: `${noun} ${first} to ${to}`,
		context: "chunk",
		opens: "open",
	};
	return [...own, { key: `chunk@${end}`, fields, look, isChunk: true, children: () => chunked(all, end) }];
}

/**
 * Looks by subject, with the words of a filter marked in the label. While a subject and the filter are the same, so is the
 * look: there may be thousands of rows.
 */
export function looksOf<T extends object>(lookOf: (subject: T) => RowLook): (subject: T, filter: string) => RowLook {
	const known = new WeakMap<T, { readonly plain: RowLook; readonly filter: string; readonly look: RowLook }>();
	return (subject, filter) => {
		const before = known.get(subject);
		if (before?.filter === filter) return before.look;
		const plain = before?.plain ?? lookOf(subject);
		const highlights = filter === "" ? undefined : wordRanges(plain.label, filter);
		const look = highlights === undefined ? plain : { ...plain, highlights };
		known.set(subject, { plain, filter, look });
		return look;
	};
}

/** Icon of a row with a problem. */
export const WARNING = { icon: "warning", color: "list.warningForeground" };

/** Label and description of a row, and both as they are spoken. */
export function titled(label: string, description?: string): Pick<RowLook, "label" | "description" | "spoken"> {
	return { label, description, spoken: description === undefined ? label : `${label}: ${description}` };
}

/** Look of a row that says something, and perhaps leads on by Enter; no menu is about it. */
export function noteLook(label: string, description?: string, icon = "info", command?: RowLook["command"]): RowLook {
	return { ...titled(label, description), icon, context: "note", command };
}

/** Look of the row of what is being loaded; `spoken` is what a screen reader says of it. */
export function loadingLook(spoken: string): RowLook {
	return { label: "Loading...", icon: "loading~spin", spoken, context: "note" };
}

/** Look of the row of an error. Enter asks for another credential, where that helps, or else runs `retry`. */
export function errorLook(
	{ title, advice, remedy, fix = remedy === "replace" ? FIXES.replace : undefined }: FailureWords,
	retry: { readonly id: string; readonly title: string },
): RowLook {
	return {
		label: title,
		description: advice,
		icon: "error",
		color: "list.errorForeground",
		spoken: `Error: ${title} ${advice} ${remedy === "replace" ? "Enter asks for it. " : ""}${retry.title} is in its menu.`,
		context: fix !== undefined ? "error.credential" : remedy === "edit" ? "error.connection" : "error",
		command: fix === undefined ? retry : { id: fix.command, title: fix.label, argument: fix.argument },
	};
}

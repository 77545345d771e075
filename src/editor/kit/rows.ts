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
	/** Initial state of a row with children; later the person's choice stays. */
	readonly opens?: "open" | "closed" | undefined;
	/** The command that Enter and a click run, with the row as its argument where it names none. */
	readonly command?: { readonly id: string; readonly title: string; readonly argument?: unknown } | undefined;
	readonly highlights?: readonly [number, number][] | undefined;
}

/** Appearance and children of a row. */
export interface RowParts {
	/** Unique among its siblings and stable for its subject. */
	readonly key: string;
	/** Subject of the row, as the argument of a command names it. */
	readonly fields?: Fields | undefined;
	/** Not redrawn while it is the same object. */
	readonly look: RowLook;
	/** Synchronous, so that no silent service delays the rows of others. */
	children?(): readonly RowParts[];
	/** Tooltip, built on hover; by default the whole description. */
	readonly card?: (() => MarkdownString) | undefined;
	/** True for a row that groups its parent's rows, which keep their identity between groups. */
	readonly isChunk?: boolean;
}

/** Row of a tree. Its object is stable, since the editor tells rows apart by identity. */
export class Row {
	/** Unique in its tree. */
	readonly id: string;
	parts: RowParts;
	parent: Row | undefined;
	/** Children as the editor knows them; undefined until it asks. */
	below: readonly Row[] | undefined;
	/** True while collapsed: children are not computed, which might load them. */
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

/** Number of changed children above which the parent is redrawn instead. */
const MOST_SINGLE_ROWS = 20;

const NONE: readonly Row[] = [];

/** Rows with stable objects, so that redrawing only changed ones keeps expansion, selection and focus. */
export class Rows {
	/** Stands for the tree itself. */
	readonly root: Row;
	#rows = new Map<string, Row>();
	#hasStale = false;

	/** `roots` gives the rows at the top. */
	constructor(roots: () => readonly RowParts[]) {
		this.root = new Row("", { key: "", look: { label: "", spoken: "", context: "" }, children: roots });
	}

	/** Current children of a row, recorded as what the editor knows. */
	below(row: Row): readonly Row[] {
		row.isClosed = false;
		const scope = row.parts.isChunk ? row.id.slice(0, row.id.lastIndexOf("\n")) : row.id;
		const before = row.below ?? NONE;
		row.below = (row.parts.children?.() ?? []).map((parts, index) => {
			const same = before[index];
			// Of thousands of rows nearly all are unchanged.
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

	/** Updates all rows that the editor knows. Returns those to redraw with their descendants. */
	update(): readonly Row[] {
		// The editor has asked for the rows of the last redraw by now.
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

	/** Drops rows that are no longer in the tree. */
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

function isCardStale({ card, parts, below = NONE }: Row): boolean {
	return card !== undefined && below.length === 0 && card !== (parts.card?.().value ?? "");
}

/** Rows per group of a long list. */
export const CHUNK_ROWS = 1_000;

interface ChunkedList<T> {
	/** Name of its rows, such as `Issues`. */
	readonly noun: string;
	readonly items: readonly T[];
	readonly row: (item: T) => RowParts;
	/** Row after the last one of all. */
	readonly last: RowParts | undefined;
	/** Fields of the rows that group a long list into chunks. */
	readonly fields?: Fields;
}

/** Rows of a long list; each group nests in the last row of the one before, so that appended rows redraw one group. */
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

/** Cached looks by subject, with the words of a filter highlighted. */
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

/** Look of an informational row, perhaps with a command for Enter, but without menus. */
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

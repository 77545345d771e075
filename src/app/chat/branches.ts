import type { ConversationState, Entry } from "./conversation.ts";

/** Place of an entry among its versions: those that follow the same entry. */
export interface Versions {
	/** Counted from 0, the oldest. */
	readonly index: number;
	readonly count: number;
	readonly ids: readonly string[];
}

/** A tree without anything. */
export const NOTHING: ConversationState = { entries: [], chosen: [], facts: {} };

/**
 * The tree of a conversation, and the path through it that is on screen: at each step the version that was chosen last,
 * else the newest. It holds nothing but the entries, and the same entries and choices always give the same path.
 */
export class Branches {
	/** Oldest first; a parent always stands before what follows it. */
	readonly #entries = new Map<string, Entry>();
	/** Parent of each entry in fact; null for the first ones. */
	readonly #parents = new Map<string, string | null>();
	/** Children of each entry, oldest first. */
	readonly #versions = new Map<string | null, string[]>();
	readonly #chosen = new Map<string | null, string>();
	/** Parents that were lost, and what stands in for them. */
	readonly #lost = new Map<string, string | null>();
	#path: Entry[] | undefined;

	constructor({ entries, chosen }: Pick<ConversationState, "entries" | "chosen"> = NOTHING) {
		let before: string | null = null;
		for (const entry of entries) {
			this.#add(entry, before);
			before = entry.id;
		}
		for (const id of chosen) if (this.#entries.has(id)) this.#chosen.set(this.#parentOf(id), id);
	}

	/** Every entry, of every version, oldest first. */
	get all(): readonly Entry[] {
		return [...this.#entries.values()];
	}

	/** The versions that were chosen, one at each place where there was a choice. */
	get chosen(): readonly string[] {
		return [...this.#chosen.values()];
	}

	/** Entries on screen. */
	get path(): readonly Entry[] {
		if (this.#path !== undefined) return this.#path;
		const path: Entry[] = [];
		for (let next = this.#next(null); next !== undefined; next = this.#next(next.id)) path.push(next);
		this.#path = path;
		return path;
	}

	get(id: string): Entry | undefined {
		return this.#entries.get(id);
	}

	/** Adds an entry, or puts it in place of the one with its id. */
	add(entry: Entry): void {
		this.#add(entry, this.path.at(-1)?.id ?? null);
	}

	/** Last entry on the path from an entry; undefined for one that is not there. */
	tip(id: string): Entry | undefined {
		let last = this.#entries.get(id);
		for (let next = last; next !== undefined; next = this.#next(next.id)) last = next;
		return last;
	}

	/** The version on screen of an entry, were it itself on screen. */
	shown(id: string): Entry | undefined {
		return this.#entries.has(id) ? this.#next(this.#parentOf(id)) : undefined;
	}

	/** Takes an entry away that nothing follows; says whether it did. */
	drop(id: string): boolean {
		const isLeaf = this.#entries.has(id) && (this.#versions.get(id) ?? []).length === 0;
		if (!isLeaf) return false;
		const parent = this.#parentOf(id);
		const others = this.#ids(parent).filter((each) => each !== id);
		const newest = others.at(-1);
		this.#versions.set(parent, others);
		if (this.#chosen.get(parent) === id) {
			// Chosen in so many words: what was chosen before it is over.
			if (newest === undefined) this.#chosen.delete(parent);
			else this.#chosen.set(parent, newest);
		}
		this.#entries.delete(id);
		this.#parents.delete(id);
		this.#path = undefined;
		return true;
	}

	/** Brings an entry on screen, with all that it follows; says whether anything had to be chosen for that. */
	choose(id: string): boolean {
		const hidden = this.lineage(id).filter((entry) => this.#next(this.#parentOf(entry.id)) !== entry);
		for (const entry of hidden) this.#chosen.set(this.#parentOf(entry.id), entry.id);
		if (hidden.length > 0) this.#path = undefined;
		return hidden.length > 0;
	}

	/** Place of an entry among its versions; the index is -1 if it is not there. */
	versions(id: string): Versions {
		const ids = this.#entries.has(id) ? [...this.#ids(this.#parentOf(id))] : [];
		return { index: ids.indexOf(id), count: ids.length, ids };
	}

	/** The way to an entry, itself included; empty for one that is not there. */
	lineage(id: string | null): readonly Entry[] {
		const way: Entry[] = [];
		for (let at = id; at !== null; at = this.#parentOf(at)) {
			const entry = this.#entries.get(at);
			if (entry !== undefined) way.push(entry);
		}
		return way.reverse();
	}

	/** Adds an entry. If its parent was lost, `before` stands in for that. */
	#add(entry: Entry, before: string | null): void {
		const { id, parent } = entry;
		if (this.#entries.has(id)) {
			this.#entries.set(id, entry);
			const position = this.#path?.findLastIndex((each) => each.id === id) ?? -1;
			if (position !== -1) this.#path?.splice(position, 1, entry);
			return;
		}
		if (parent !== null && !this.#entries.has(parent) && !this.#lost.has(parent)) this.#lost.set(parent, before);
		const follows = parent === null || this.#entries.has(parent) ? parent : (this.#lost.get(parent) ?? null);
		this.#entries.set(id, entry);
		this.#parents.set(id, follows);
		const versions = this.#versions.get(follows);
		if (versions === undefined) this.#versions.set(follows, [id]);
		else versions.push(id);
		this.#path = undefined;
	}

	/** The version on screen of what follows an entry. */
	#next(parent: string | null): Entry | undefined {
		const id = this.#chosen.get(parent) ?? this.#ids(parent).at(-1);
		return id === undefined ? undefined : this.#entries.get(id);
	}

	#ids(parent: string | null): readonly string[] {
		return this.#versions.get(parent) ?? [];
	}

	#parentOf(id: string): string | null {
		return this.#parents.get(id) ?? null;
	}
}

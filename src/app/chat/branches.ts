import type { ConversationState, Entry } from "./conversation.ts";

/** Place of an entry among its versions: those that follow the same entry. */
export interface Versions {
	/** Zero-based; 0 is the oldest. */
	readonly index: number;
	readonly count: number;
	readonly ids: readonly string[];
}

/** State of an empty conversation. */
export const NOTHING: ConversationState = { entries: [], chosen: [], facts: {} };

/** Tree of a conversation, and the path on screen: at each step the version that was chosen last, else the newest. */
export class Branches {
	/** Oldest first; parents come before their children. */
	readonly #entries = new Map<string, Entry>();
	/** Actual parent of each entry; null for the first ones. */
	readonly #parents = new Map<string, string | null>();
	readonly #versions = new Map<string | null, readonly string[]>();
	readonly #chosen = new Map<string | null, string>();
	/** Lost parents and their substitutes. */
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

	/** Chosen versions, one for each choice. */
	get chosen(): readonly string[] {
		return [...this.#chosen.values()];
	}

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

	/** Adds an entry, or replaces the one with its id. */
	add(entry: Entry): void {
		this.#add(entry, this.path.at(-1)?.id ?? null);
	}

	/** Last entry on the path from an entry, if there is one. */
	tip(id: string): Entry | undefined {
		let last = this.#entries.get(id);
		for (let next = last; next !== undefined; next = this.#next(next.id)) last = next;
		return last;
	}

	/** Selected version of an entry. */
	shown(id: string): Entry | undefined {
		return this.#entries.has(id) ? this.#next(this.#parentOf(id)) : undefined;
	}

	/** Removes an entry without children; false if it has any. */
	drop(id: string): boolean {
		if (!this.#entries.has(id) || this.#ids(id).length > 0) return false;
		const parent = this.#parentOf(id);
		const others = this.#ids(parent).filter((each) => each !== id);
		const newest = others.at(-1);
		this.#versions.set(parent, others);
		if (this.#chosen.get(parent) === id) {
			if (newest === undefined) this.#chosen.delete(parent);
			else this.#chosen.set(parent, newest);
		}
		this.#entries.delete(id);
		this.#parents.delete(id);
		this.#path = undefined;
		return true;
	}

	/** Brings an entry on screen with its lineage; false if it was there already. */
	choose(id: string): boolean {
		const hidden = this.lineage(id).filter((entry) => this.#next(this.#parentOf(entry.id)) !== entry);
		for (const entry of hidden) this.#chosen.set(this.#parentOf(entry.id), entry.id);
		if (hidden.length > 0) this.#path = undefined;
		return hidden.length > 0;
	}

	/** Place of an entry among its versions; the index is -1 for an unknown entry. */
	versions(id: string): Versions {
		const ids = this.#entries.has(id) ? this.#ids(this.#parentOf(id)) : [];
		return { index: ids.indexOf(id), count: ids.length, ids };
	}

	/** Path to an entry, itself included; empty for an unknown entry. */
	lineage(id: string | null): readonly Entry[] {
		const way: Entry[] = [];
		for (let at = id; at !== null; at = this.#parentOf(at)) {
			const entry = this.#entries.get(at);
			if (entry !== undefined) way.push(entry);
		}
		return way.reverse();
	}

	/** Adds an entry; `before` substitutes a lost parent. */
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
		this.#versions.set(follows, [...this.#ids(follows), id]);
		this.#path = undefined;
	}

	/** Selected child of an entry. */
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

import type { BlockChange } from "./panel.ts";

/** Changes of one reply's blocks, in the order in which the blocks first changed. */
export interface ReplyChanges {
	readonly message: string;
	readonly changes: readonly BlockChange[];
}

/** Pending block changes, merged to one a block: in the host until the next batch, in the panel until the next frame. */
export class BlockChanges {
	readonly #waiting = new Map<string, Map<string, BlockChange>>();

	get empty(): boolean {
		return this.#waiting.size === 0;
	}

	/** Adds a change of a block of the reply with this id. */
	add(message: string, change: BlockChange): void {
		const changes = this.#waiting.get(message) ?? new Map<string, BlockChange>();
		this.#waiting.set(message, changes);
		changes.set(change.key, merge(changes.get(change.key), change));
	}

	/** Returns and clears the pending changes. */
	take(): ReplyChanges[] {
		const taken = [...this.#waiting].map(([message, changes]) => ({ message, changes: [...changes.values()] }));
		this.#waiting.clear();
		return taken;
	}

	clear(): void {
		this.#waiting.clear();
	}
}

function merge(before: BlockChange | undefined, change: BlockChange): BlockChange {
	if (before === undefined || change.mode === "replace") return change;
	return { ...before, ...change, mode: before.mode, text: before.text + change.text };
}

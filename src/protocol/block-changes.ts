import type { BlockChange } from "./panel.ts";

/** The changes of one reply's blocks, in the order in which the blocks first changed. */
export interface ReplyChanges {
	readonly message: string;
	readonly changes: readonly BlockChange[];
}

/**
 * Block changes that wait, merged to one per block: the host's until the next batch, the panel's until the next frame.
 */
export class BlockChanges {
	/** The reply's id -> block key -> its merged change. */
	readonly #waiting = new Map<string, Map<string, BlockChange>>();

	get empty(): boolean {
		return this.#waiting.size === 0;
	}

	/** Adds a change of a block of the reply with this id. */
	add(message: string, change: BlockChange): void {
		let changes = this.#waiting.get(message);
		if (changes === undefined) {
			changes = new Map();
			this.#waiting.set(message, changes);
		}
		changes.set(change.key, merge(changes.get(change.key), change));
	}

	/** Gives all that waits, and forgets it. */
	take(): ReplyChanges[] {
		const taken = [...this.#waiting].map(([message, changes]) => ({ message, changes: [...changes.values()] }));
		this.#waiting.clear();
		return taken;
	}

	/** Forgets all that waits. */
	clear(): void {
		this.#waiting.clear();
	}
}

function merge(before: BlockChange | undefined, change: BlockChange): BlockChange {
	if (before === undefined || change.mode === "replace") return change;
	return { ...before, ...change, mode: before.mode, text: before.text + change.text };
}

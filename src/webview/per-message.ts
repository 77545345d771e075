import type { MessagePlace } from "./host.ts";

/** State kept beside messages, such as that they are collapsed. */
export class PerMessage<T extends MessagePlace> {
	/** In the order in which they were put. */
	#all: readonly T[];
	readonly #most: number;
	readonly #changed: (all: readonly T[]) => void;

	/** `changed` is to keep them. Messages that are gone for good leave theirs behind: so many are kept at most. */
	constructor(kept: readonly T[], { most, changed }: { most: number; changed: (all: readonly T[]) => void }) {
		this.#all = kept;
		this.#most = most;
		this.#changed = changed;
	}

	/** State kept beside a message; undefined where there is none. */
	of(message: MessagePlace): T | undefined {
		return this.#all.find((each) => isSame(each, message));
	}

	/** Keeps something beside its message in place of what was there. */
	put(kept: T): void {
		this.#all = [...this.#others(kept), kept].slice(-this.#most);
		this.#changed(this.#all);
	}

	/** Keeps nothing beside a message any more. */
	remove(message: MessagePlace): void {
		this.#all = this.#others(message);
		this.#changed(this.#all);
	}

	#others(message: MessagePlace): readonly T[] {
		return this.#all.filter((each) => !isSame(each, message));
	}
}

function isSame(one: MessagePlace, { conversation, message }: MessagePlace): boolean {
	return one.conversation === conversation && one.message === message;
}

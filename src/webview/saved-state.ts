import type { Host, MessagePlace, Place, Saved } from "./host.ts";

/** State kept beside messages, such as that they are collapsed. */
class PerMessage<T extends MessagePlace> {
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

const MOST_COLLAPSED = 200;

/** State that the panel keeps across hide, show and reload of its page, saved whenever it changes. */
export class SavedState {
	/** The messages of which only the first line is shown. */
	readonly collapsed: PerMessage<MessagePlace>;
	readonly #host: Pick<Host, "save">;
	#saved: Saved;

	constructor(host: Pick<Host, "load" | "save">) {
		this.#host = host;
		this.#saved = host.load();
		const { collapsed = [] } = this.#saved;
		this.collapsed = new PerMessage(collapsed, {
			most: MOST_COLLAPSED,
			changed: (all) => this.#save({ collapsed: all }),
		});
	}

	/** Place the reader has moved to; undefined while the transcript follows its end. */
	get place(): Place | undefined {
		return this.#saved.place;
	}

	/** The reader has come to rest there. */
	moved(place: Place | undefined): void {
		const { place: _before, ...others } = this.#saved;
		this.#saved = others;
		this.#save(place === undefined ? {} : { place });
	}

	#save(change: Partial<Saved>): void {
		this.#saved = { ...this.#saved, ...change };
		this.#host.save(this.#saved);
	}
}

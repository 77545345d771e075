import type { KeyValueStore } from "../ports.ts";

const MOST_RECENT = 5;

const keyOf = (list: "pinned" | "recent") => `switchboard.chat.models.${list}`;

/** Pinned and recent models by {@link pickKey}, in every window. */
export class ModelPicks {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Keys of the pinned models, latest last, or of the recent ones, latest first. */
	of(list: "pinned" | "recent"): readonly string[] {
		const stored = this.#store.get(keyOf(list));
		return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
	}

	/** Pins or unpins a model. */
	async toggle(key: string): Promise<void> {
		const pinned = this.of("pinned");
		const others = pinned.filter((each) => each !== key);
		await this.#store.set(keyOf("pinned"), others.length < pinned.length ? others : [...pinned, key]);
	}

	/** Stores a model as the most recent. */
	async used(key: string): Promise<void> {
		const others = this.of("recent").filter((each) => each !== key);
		await this.#store.set(keyOf("recent"), [key, ...others].slice(0, MOST_RECENT));
	}
}

/** Key of a model of a connection. */
export function pickKey(connection: string, model: string): string {
	return `${connection}/${model}`;
}

import type { KeyValueStore } from "../ports.ts";

/** Models that are remembered as used last. */
const MOST_RECENT = 5;

/** Models that a person has pinned, and those that they chose last, by {@link pickKey}, in every window. */
export class ModelPicks {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Keys of the models that are pinned, the latest pin last, or of those chosen last, the latest first. */
	of(list: "pinned" | "recent"): readonly string[] {
		const stored = this.#store.get(`switchboard.chat.models.${list}`);
		return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
	}

	/** Pins a model, or takes its pin away. */
	async toggle(key: string): Promise<void> {
		const pinned = this.of("pinned");
		const others = pinned.filter((each) => each !== key);
		await this.#set("pinned", others.length < pinned.length ? others : [...pinned, key]);
	}

	/** Remembers a model as the one that was chosen last. */
	async used(key: string): Promise<void> {
		const others = this.of("recent").filter((each) => each !== key);
		await this.#set("recent", [key, ...others].slice(0, MOST_RECENT));
	}

	#set(list: "pinned" | "recent", keys: readonly string[]): Promise<void> {
		return this.#store.set(`switchboard.chat.models.${list}`, keys);
	}
}

/** Key of a model of a connection. */
export function pickKey(connection: string, model: string): string {
	return `${connection}/${model}`;
}

import type { KeyValueStore } from "../ports.ts";

/** Models that are remembered as used last. */
const MOST_RECENT = 5;

const keyOf = (list: "pinned" | "recent") => `switchboard.chat.models.${list}`;

/** Models that a person has pinned, and those that they chose last, by {@link pickKey}, in every window. */
export class ModelPicks {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Keys of the models that are pinned, the latest pin last, or of those chosen last, the latest first. */
	of(list: "pinned" | "recent"): readonly string[] {
		const stored = this.#store.get(keyOf(list));
		return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
	}

	/** Pins a model, or takes its pin away. */
	async toggle(key: string): Promise<void> {
		const pinned = this.of("pinned");
		const others = pinned.filter((each) => each !== key);
		await this.#store.set(keyOf("pinned"), others.length < pinned.length ? others : [...pinned, key]);
	}

	/** Remembers a model as the one that was chosen last. */
	async used(key: string): Promise<void> {
		const others = this.of("recent").filter((each) => each !== key);
		await this.#store.set(keyOf("recent"), [key, ...others].slice(0, MOST_RECENT));
	}
}

/** Key of a model of a connection. */
export function pickKey(connection: string, model: string): string {
	return `${connection}/${model}`;
}

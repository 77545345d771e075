import type { KeyValueStore } from "../ports.ts";

/** Models that are remembered as used last. */
const MOST_RECENT = 5;

const KEYS = { pinned: "switchboard.chat.models.pinned", recent: "switchboard.chat.models.recent" } as const;

/** Models that a person has pinned, and those that they chose last, by connection and name, in every window. */
export class ModelPicks {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Keys of the pinned models, the latest pin last. */
	get pinned(): readonly string[] {
		return this.#read("pinned");
	}

	/** Keys of the models that were chosen last, the latest first. */
	get recent(): readonly string[] {
		return this.#read("recent");
	}

	/** Pins a model, or takes its pin away. */
	async toggle(key: string): Promise<void> {
		const { pinned } = this;
		const others = pinned.filter((each) => each !== key);
		await this.#store.set(KEYS.pinned, others.length < pinned.length ? others : [...pinned, key]);
	}

	/** Remembers a model as the one that was chosen last. */
	async used(key: string): Promise<void> {
		const others = this.recent.filter((each) => each !== key);
		await this.#store.set(KEYS.recent, [key, ...others].slice(0, MOST_RECENT));
	}

	#read(name: keyof typeof KEYS): readonly string[] {
		const stored = this.#store.get(KEYS[name]);
		return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
	}
}

/** Key of a model of a connection. */
export function pickKey(connection: string, model: string): string {
	return `${connection}/${model}`;
}

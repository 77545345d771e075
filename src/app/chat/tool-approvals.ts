import type { KeyValueStore } from "../ports.ts";

const KEY = "switchboard.chat.allowedTools";

/** Tools that may always run without a question, as the person has said; remembered for all windows. */
export class ToolApprovals {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Names of the tools, in the order in which they were allowed. */
	list(): readonly string[] {
		const stored = this.#store.get(KEY);
		return Array.isArray(stored) ? stored.filter((name) => typeof name === "string") : [];
	}

	async allow(name: string): Promise<void> {
		await this.#store.set(KEY, [...new Set([...this.list(), name])]);
	}

	async revoke(name: string): Promise<void> {
		await this.#store.set(
			KEY,
			this.list().filter((each) => each !== name),
		);
	}
}

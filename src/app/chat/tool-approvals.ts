import type { KeyValueStore } from "../ports.ts";

const KEY = "switchboard.chat.allowedTools";

/** Permission for a tool to run on one connection without a question, as it is kept. Names of tools have no `@`. */
export function permissionFor(tool: string, connection: string): string {
	return `${tool}@${connection}`;
}

/** Tools that may always run without a question on a connection, as the person has said; remembered for all windows. */
export class ToolApprovals {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** The permissions, in the order in which they were given. */
	list(): readonly string[] {
		const stored = this.#store.get(KEY);
		return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
	}

	async allow(permission: string): Promise<void> {
		await this.#store.set(KEY, [...new Set([...this.list(), permission])]);
	}

	async revoke(permission: string): Promise<void> {
		await this.#store.set(
			KEY,
			this.list().filter((each) => each !== permission),
		);
	}
}

import { OPTIONAL_FIELDS } from "#api/messages/fault.ts";
import type { KeyValueStore } from "../ports.ts";
import type { ChatParameters } from "./parameters.ts";

const keyOf = (connection = "", model = "") => `switchboard.chat.refused ${connection}/${model}`;

/** Optional parameters that a model of a connection refuses, as a person has confirmed: requests leave them out. */
export class RefusedParameters {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Each parameter to leave out, as `undefined`: to be spread over what a request is asked with. */
	of(connection: string | undefined, model: string): ChatParameters {
		const stored = this.#store.get(keyOf(connection, model));
		const left = Object.entries(OPTIONAL_FIELDS).filter(([field]) => Array.isArray(stored) && stored.includes(field));
		return Object.fromEntries(left.map(([, name]) => [name, undefined]));
	}

	/** Leaves out a field, by its name on the wire, from now on; without a field, all are sent again. */
	async set(connection: string | undefined, model: string, field?: string): Promise<void> {
		const key = keyOf(connection, model);
		await this.#store.set(key, field && [this.#store.get(key) ?? [], field].flat());
	}
}

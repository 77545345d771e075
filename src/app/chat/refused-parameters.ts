import { OPTIONAL_FIELDS } from "#api/messages/fault.ts";
import type { Capabilities } from "../connections/capabilities.ts";
import type { KeyValueStore } from "../ports.ts";
import type { ChatParameters } from "./parameters.ts";

const keyOf = (connection = "", model = "") => `switchboard.chat.refused ${connection}/${model}`;

/** Abilities that a model lacks which refuses a field. */
const WITHOUT: Readonly<Record<string, Partial<Capabilities>>> = {
	tools: { tools: false },
	tool_choice: { toolChoice: false },
	cache_control: { caching: false },
	prefill: { prefill: false },
};

/** Optional parts of a request that a model of a connection refuses, as a person has confirmed: requests leave them out. */
export class RefusedParameters {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Each parameter to leave out, as `undefined`: to be spread over what a request is asked with. */
	of(connection: string | undefined, model: string): ChatParameters {
		const fields = this.#fields(connection, model).filter((field) => !Object.hasOwn(WITHOUT, field));
		const left = Object.entries(OPTIONAL_FIELDS).filter(([field]) => fields.includes(field));
		return Object.fromEntries(left.map(([, name]) => [name, undefined]));
	}

	/** Abilities that the model lacks: to be spread over what is known of it. */
	abilities(connection: string | undefined, model: string): Partial<Capabilities> {
		return Object.assign({}, ...this.#fields(connection, model).map((field) => WITHOUT[field]));
	}

	/** Leaves out a field, by its name on the wire, from now on; without a field, all are sent again. */
	async set(connection: string | undefined, model: string, field?: string): Promise<void> {
		await this.#store.set(keyOf(connection, model), field && [...this.#fields(connection, model), field]);
	}

	#fields(connection: string | undefined, model: string): readonly string[] {
		const stored = this.#store.get(keyOf(connection, model));
		return Array.isArray(stored) ? stored : [];
	}
}

import { OPTIONAL_FIELDS } from "#api/messages/fault.ts";
import { type Infer, list, map, parsed, text } from "#base/schema.ts";
import type { Capabilities } from "../connections/model-capabilities.ts";
import type { KeyValueStore } from "../ports.ts";
import type { ChatParameters } from "./parameters.ts";

const KEY = "switchboard.chat.refused";

/** Parameters by the names of their fields on the wire. */
const PARAMETERS: Readonly<Record<string, string>> = OPTIONAL_FIELDS;

/** Names of fields on the wire, by connection and model. */
const REFUSED = map(list(text()));

const keyOf = (connection = "", model = "") => `${connection}/${model}`;

/** Missing abilities by refused field. */
const WITHOUT: Readonly<Record<string, Partial<Capabilities>>> = {
	tools: { tools: false },
	tool_choice: { toolChoice: false },
	cache_control: { caching: false },
	prefill: { prefill: false },
};

/** Optional parts of requests that a model refuses, as the person has confirmed: they are omitted. */
export class RefusedParameters {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Refused parameters, as `undefined`, to spread over those of a request. */
	of(connection: string | undefined, model: string): ChatParameters {
		const fields = this.#fields(connection, model).filter((field) => !Object.hasOwn(WITHOUT, field));
		const left = Object.entries(OPTIONAL_FIELDS).filter(([field]) => fields.includes(field));
		return Object.fromEntries(left.map(([, name]) => [name, undefined]));
	}

	/** Missing abilities, to spread over the known ones. */
	abilities(connection: string | undefined, model: string): Partial<Capabilities> {
		const fields = this.#fields(connection, model);
		const lacks = fields.includes("thinking") ? { refusesThinking: true } : {};
		return Object.assign(lacks, ...fields.map((field) => WITHOUT[field]));
	}

	/** Omits a field, by its wire name, from now on. */
	async add(connection: string | undefined, model: string, field: string): Promise<void> {
		const fields = [...this.#fields(connection, model), field];
		await this.#store.set(KEY, { ...this.#all(), [keyOf(connection, model)]: fields });
	}

	/** Sends a parameter again. */
	async remove(connection: string | undefined, model: string, parameter: string): Promise<void> {
		await this.#keep((field, key) => key !== keyOf(connection, model) || PARAMETERS[field] !== parameter);
	}

	/** Resets all missing abilities. */
	forgetAbilities(): Promise<void> {
		return this.#keep((field) => !Object.hasOwn(WITHOUT, field));
	}

	async #keep(isKept: (field: string, key: string) => boolean): Promise<void> {
		const all = Object.entries(this.#all());
		const kept = all.map(([key, fields]) => [key, fields.filter((field) => isKept(field, key))]);
		await this.#store.set(KEY, Object.fromEntries(kept));
	}

	#fields(connection: string | undefined, model: string): readonly string[] {
		return this.#all()[keyOf(connection, model)] ?? [];
	}

	#all(): Infer<typeof REFUSED> {
		return parsed(REFUSED, this.#store.get(KEY)) ?? {};
	}
}

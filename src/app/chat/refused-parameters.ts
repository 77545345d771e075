import { OPTIONAL_FIELDS } from "#api/messages/fault.ts";
import { type Infer, list, map, parsed, text } from "#base/schema.ts";
import type { Capabilities } from "../connections/model-capabilities.ts";
import type { KeyValueStore } from "../ports.ts";
import type { ReplyEntry } from "./conversation.ts";
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
	images: { images: false },
	thought: { refusesThinking: true },
	thinking: { thinking: false, efforts: [], refusesThinking: true },
};

/** Optional parts of requests that a model has refused: they are omitted until tried again. */
export class RefusedParameters {
	readonly #store: KeyValueStore;

	constructor(store: KeyValueStore) {
		this.#store = store;
	}

	/** Refused parameters, as `undefined`, to spread over those of a request. */
	of(connection: string | undefined, model: string): ChatParameters {
		const isParameter = (field: string) => field === "thinking" || !Object.hasOwn(WITHOUT, field);
		const fields = this.#fields(connection, model).filter(isParameter);
		return Object.fromEntries(fields.map((field) => [PARAMETERS[field] ?? field, undefined]));
	}

	/** Missing abilities, to spread over the known ones. */
	abilities(connection: string | undefined, model: string): Partial<Capabilities> {
		return Object.assign({}, ...this.#fields(connection, model).map((field) => WITHOUT[field]));
	}

	/** Remembers the part that a service has refused by name; undefined if the reply failed for another reason. */
	async learn({ connectionId, model, ended }: ReplyEntry): Promise<string | undefined> {
		const { field = "", status } = ended?.error ?? {};
		const isRefusal = status !== undefined && Object.hasOwn(PARAMETERS, field);
		if (!isRefusal || this.#fields(connectionId, model).includes(field)) return undefined;
		await this.add(connectionId, model, field);
		return field;
	}

	/** Omits a field, by its wire name, from now on. */
	async add(connection: string | undefined, model: string, field: string): Promise<void> {
		const fields = [...this.#fields(connection, model), field];
		await this.#store.set(KEY, { ...this.#all(), [keyOf(connection, model)]: fields });
	}

	/** Sends a parameter again. */
	async remove(connection: string | undefined, model: string, parameter: string): Promise<void> {
		const fields = this.#fields(connection, model).filter((field) => PARAMETERS[field] !== parameter);
		await this.#store.set(KEY, { ...this.#all(), [keyOf(connection, model)]: fields });
	}

	/** Sends all parameters again. */
	async forget(): Promise<void> {
		await this.#store.set(KEY, {});
	}

	#fields(connection: string | undefined, model: string): readonly string[] {
		return (this.#all()[keyOf(connection, model)] ?? []).filter((field) => Object.hasOwn(PARAMETERS, field));
	}

	#all(): Infer<typeof REFUSED> {
		return parsed(REFUSED, this.#store.get(KEY)) ?? {};
	}
}

import { isRecord, textOf } from "../http/json.ts";

/** A model that a service says it has. */
export interface ServedModel {
	/** Name in a request. */
	readonly id: string;
	/** Name for a person, on one plain line; its id where the service gives no other. */
	readonly name: string;
	/** Tokens that it takes, and that it gives, at most; null where the service does not say. */
	readonly maxInputTokens: number | null;
	readonly maxOutputTokens: number | null;
	/** Abilities that the service names; one that it does not name is absent. */
	readonly abilities?: ServedAbilities;
	/** Price of a million tokens, in US dollars. */
	readonly price?: { readonly input: number; readonly output: number };
	/** Day from which the service no longer has it, as `YYYY-MM-DD`. */
	readonly retiresAt?: string;
}

/** Abilities of a model, as far as a service names them. */
export interface ServedAbilities {
	readonly tools?: boolean;
	readonly toolChoice?: boolean;
	readonly images?: boolean;
	readonly documents?: boolean;
	readonly thinking?: false | "adaptive" | "enabled";
	/** The least first. */
	readonly efforts?: readonly string[];
	readonly sampling?: boolean;
}

/** Facts about a model that a service tells beside its names. */
export type ModelFacts = Omit<ServedModel, "id" | "name">;

/** Efforts of thinking, the least first. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

/**
 * Reads the entry of a model in a list, in the fields of Anthropic, of vLLM and of OpenRouter: its limits, and where they
 * are there its abilities, its price and its end.
 */
export function factsOf(entry: Readonly<Record<string, unknown>>): ModelFacts {
	const provider = recordOf(entry["top_provider"]);
	const lifecycle = recordOf(entry["lifecycle"]);
	const abilities = {
		...(isRecord(entry["capabilities"]) && abilitiesOf(entry["capabilities"])),
		...parameterAbilities(entry["supported_parameters"]),
		...modalityAbilities(recordOf(entry["architecture"])["input_modalities"]),
	};
	const price = priceOf(recordOf(entry["pricing"]));
	const [retiresAt] = /^\d{4}-\d\d-\d\d/.exec(textOf(entry["retires_at"] ?? lifecycle["retires_at"]) ?? "") ?? [];
	return {
		maxInputTokens: limitIn(entry, "max_input_tokens", "max_model_len", "context_length"),
		maxOutputTokens: limitIn(entry, "max_tokens") ?? limitIn(provider, "max_completion_tokens"),
		...(Object.keys(abilities).length > 0 && { abilities }),
		...(price && { price }),
		...(retiresAt !== undefined && { retiresAt }),
	};
}

/** Anthropic's own words: `{image_input: {supported}, thinking: {types: {adaptive: {supported}}}, effort: {low: ...}}`. */
function abilitiesOf(named: Readonly<Record<string, unknown>>): ServedAbilities {
	const { thinking, effort } = { thinking: recordOf(named["thinking"]), effort: recordOf(named["effort"]) };
	const types = recordOf(thinking["types"]);
	const form = (["adaptive", "enabled"] as const).find((type) => isSupported(types[type]));
	return {
		...("image_input" in named && { images: isSupported(named["image_input"]) }),
		...("pdf_input" in named && { documents: isSupported(named["pdf_input"]) }),
		...("thinking" in named && { thinking: form ?? false }),
		...("effort" in named && { efforts: EFFORTS.filter((each) => isSupported(effort[each])) }),
	};
}

/** OpenRouter names the fields that a model takes. */
function parameterAbilities(parameters: unknown): ServedAbilities {
	if (!Array.isArray(parameters)) return {};
	const takes = (...names: readonly string[]) => names.some((name) => parameters.includes(name));
	return {
		tools: takes("tools"),
		toolChoice: takes("tool_choice"),
		thinking: takes("reasoning") ? "enabled" : false,
		sampling: takes("temperature", "top_p", "top_k"),
	};
}

function modalityAbilities(modalities: unknown): ServedAbilities {
	return Array.isArray(modalities)
		? { images: modalities.includes("image"), documents: modalities.includes("file") }
		: {};
}

/** OpenRouter's prices are dollars for one token, as text; a negative one depends on the model that answers. */
function priceOf({ prompt, completion }: { readonly prompt?: unknown; readonly completion?: unknown }) {
	const [input, output] = [prompt, completion].map((each) => Number.parseFloat(textOf(each) ?? "") * 1_000_000);
	const isPrice = (cost = Number.NaN) => cost >= 0 && Number.isFinite(cost);
	return isPrice(input) && isPrice(output) ? { input: rounded(input), output: rounded(output) } : undefined;
}

/** Without the error of a multiplication, such as 0.30000000000000004. */
function rounded(cost = 0): number {
	return Number(cost.toPrecision(12));
}

function isSupported(value: unknown): boolean {
	return recordOf(value)["supported"] === true;
}

/** The value if it is an object, else one without fields. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
	return isRecord(value) ? value : {};
}

/** The first of some fields that holds a whole number from 1 up, or null. */
export function limitIn(record: Readonly<Record<string, unknown>>, ...names: readonly string[]): number | null {
	for (const name of names) {
		const value = record[name];
		if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
	}
	return null;
}

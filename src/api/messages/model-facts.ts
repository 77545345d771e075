import { isRecord, textOf } from "../http/json.ts";

/** Model in the list of a service. */
export interface ServedModel {
	/** Name in a request. */
	readonly id: string;
	/** Display name on one plain line; its id if the service gives none. */
	readonly name: string;
	/** Limits of tokens; null if the service does not say. */
	readonly maxInputTokens: number | null;
	readonly maxOutputTokens: number | null;
	readonly abilities?: Partial<Abilities>;
	/** Price of a million tokens, in US dollars. */
	readonly price?: { readonly input: number; readonly output: number };
	/** Day of its retirement, as `YYYY-MM-DD`. */
	readonly retiresAt?: string;
	/** False if the service says that it is not for text, but for example for embeddings. */
	readonly chats?: false;
}

/** Abilities of a model that services tell about. */
export interface Abilities {
	/** Takes `tools`, and answers with `tool_use` blocks. */
	readonly tools: boolean;
	/** Takes `tool_choice`. */
	readonly toolChoice: boolean;
	/** Takes images in base64. */
	readonly images: boolean;
	/** Takes PDF documents in base64. */
	readonly documents: boolean;
	/** Form of the request for thinking; false if the model has none. */
	readonly thinking: false | "adaptive" | "enabled";
	/** Efforts to choose from, least first. */
	readonly efforts: readonly string[];
	/** Takes `temperature`, `top_p` and `top_k`, which are in the contract (section 4). */
	readonly sampling: boolean;
}

/** Facts about a model that a service tells beside its names. */
export type ModelFacts = Omit<ServedModel, "id" | "name">;

/** Efforts of thinking, the least first. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

/** Reads the limits, abilities, price and retirement of a list's entry, in the fields of Anthropic, vLLM and OpenRouter. */
export function factsOf(entry: Readonly<Record<string, unknown>>): ModelFacts {
	const { capabilities, architecture, lifecycle, pricing, supported_parameters: parameters } = entry;
	const { input_modalities: modalities, output_modalities: output } = recordOf(architecture);
	const abilities = {
		...(isRecord(capabilities) && namedAbilities(capabilities)),
		...(Array.isArray(parameters) && parameterAbilities(parameters)),
		...(Array.isArray(modalities) && { images: modalities.includes("image"), documents: modalities.includes("file") }),
	};
	const price = priceOf(recordOf(pricing));
	const isOther = Array.isArray(output)
		? !output.includes("text")
		: /(^| )(embed|rerank|image( |_gen)|audio|tts|transcri|moderat|feature-extraction)/.test(
				`${entry["type"]} ${entry["task"]} ${entry["mode"]} ${entry["model_type"]} ${capabilities}`,
			);
	const end = textOf(entry["retires_at"] ?? recordOf(lifecycle)["retires_at"]) ?? "";
	return {
		maxInputTokens: limitIn(entry, "max_input_tokens", "max_model_len", "context_length"),
		maxOutputTokens: limitIn(entry, "max_tokens") ?? limitIn(recordOf(entry["top_provider"]), "max_completion_tokens"),
		...(Object.keys(abilities).length > 0 && { abilities }),
		...(price && { price }),
		...(/^\d{4}-\d\d-\d\d/.test(end) && { retiresAt: end.slice(0, 10) }),
		...(isOther && { chats: false }),
	};
}

/** Reads Anthropic's form: `{image_input: {supported}, thinking: {types: {adaptive: {supported}}}, effort: {low: ...}}`. */
function namedAbilities(named: Readonly<Record<string, unknown>>): Partial<Abilities> {
	const types = recordOf(recordOf(named["thinking"])["types"]);
	const form = (["adaptive", "enabled"] as const).find((type) => isSupported(types[type]));
	const effort = recordOf(named["effort"]);
	return {
		...("tool_use" in named && { tools: isSupported(named["tool_use"]) }),
		...("image_input" in named && { images: isSupported(named["image_input"]) }),
		...("pdf_input" in named && { documents: isSupported(named["pdf_input"]) }),
		...("thinking" in named && { thinking: form ?? false }),
		...("effort" in named && { efforts: EFFORTS.filter((each) => isSupported(effort[each])) }),
	};
}

function isSupported(value: unknown): boolean {
	return recordOf(value)["supported"] === true;
}

/** Reads OpenRouter's list of the request fields that a model takes. */
function parameterAbilities(taken: readonly unknown[]): Partial<Abilities> {
	return {
		tools: taken.includes("tools"),
		toolChoice: taken.includes("tool_choice"),
		thinking: taken.includes("reasoning") ? "enabled" : false,
		sampling: ["temperature", "top_p", "top_k"].some((name) => taken.includes(name)),
	};
}

/** Reads OpenRouter's prices: dollars for one token, as text; a negative one is not fixed. */
function priceOf({ prompt, completion }: { readonly prompt?: unknown; readonly completion?: unknown }) {
	// Rounded, since a product such as 0.0000003 by a million is not exactly 0.3.
	const cost = (each: unknown) => Number((Number.parseFloat(textOf(each) ?? "") * 1_000_000).toPrecision(12));
	const price = { input: cost(prompt), output: cost(completion) };
	return price.input >= 0 && price.output >= 0 ? price : undefined;
}

/** Returns the value if it is an object, else an empty one. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
	return isRecord(value) ? value : {};
}

/** Returns the first of some fields that is a whole number from 1 up, or null. */
export function limitIn(record: Readonly<Record<string, unknown>>, ...names: readonly string[]): number | null {
	const isLimit = (value: unknown) => typeof value === "number" && Number.isSafeInteger(value) && value > 0;
	return names.map((name) => record[name]).find((value): value is number => isLimit(value)) ?? null;
}

import type { MessagesRequest } from "#api/messages/model.ts";
import { invalid } from "#base/errors.ts";

/** Parameters of a reply. `undefined` leaves a field out of the request. */
export type ChatParameters = {
	readonly [K in Exclude<keyof MessagesRequest, "messages">]?: MessagesRequest[K] | undefined;
};

/** The plain-object argument of `switchboard.chat.send`. */
export interface SendArguments {
	readonly text: string;
	/** A connection's id; the chosen connection where absent. */
	readonly connection?: string;
	/** A conversation to continue, or a name of the caller's own for a new one; a new one where absent. */
	readonly conversation?: string;
	/** True if it may wait until a reply under way has ended. */
	readonly queue?: boolean;
	readonly parameters: ChatParameters;
	/** Attachments, not validated yet. */
	readonly attachments?: unknown;
}

/** Deepest nesting of a value, which is walked recursively: thousands of levels would exhaust the stack. */
const MOST_LEVELS = 100;

/** Checks of the argument types, and the rules in words. */
const KINDS = {
	text: { is: (value: unknown) => typeof value === "string", rule: "must be a text" },
	number: { is: (value: unknown) => typeof value === "number", rule: "must be a number" },
	boolean: { is: (value: unknown) => typeof value === "boolean", rule: "must be true or false" },
	texts: {
		is: (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string"),
		rule: "must be a list of texts",
	},
	object: {
		is: (value: unknown) =>
			typeof value === "object" && value !== null && !Array.isArray(value) && isWithin(value, MOST_LEVELS),
		rule: `must be an object, nested at most ${MOST_LEVELS} deep`,
	},
} as const;

const PARAMETER_KINDS = {
	model: "text",
	maxTokens: "number",
	system: "text",
	temperature: "number",
	topP: "number",
	topK: "number",
	stopSequences: "texts",
	metadata: "object",
	stream: "boolean",
} as const satisfies Record<keyof ChatParameters, keyof typeof KINDS>;

/**
 * Reads the argument of `switchboard.chat.send`. Types are checked here, values by the client that knows the contract.
 * Throws `invalid` naming the field; an unknown field is a mistake too, for a misspelt one would be silently ignored.
 */
export function decodeSendArguments(value: unknown): SendArguments {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw invalid("messages", "argument", "must be an object with a text");
	}
	const { text, connection, conversation, queue, attachments, ...rest } = value as Record<string, unknown>;
	if (typeof text !== "string" || text.trim() === "") throw invalid("messages", "text", "must be a non-empty text");
	if (typeof (queue ?? false) !== "boolean") throw invalid("messages", "queue", "must be true or false");
	return {
		text,
		...optionalName("connection", connection),
		...optionalName("conversation", conversation),
		...(queue === true ? { queue } : {}),
		parameters: decodeParameters(rest),
		...(attachments === undefined || attachments === null ? {} : { attachments }),
	};
}

/** Reads what a reply is asked with; null counts as absent. Throws `invalid` naming the field. */
export function decodeParameters(value: Readonly<Record<string, unknown>>): ChatParameters {
	const parameters: Record<string, unknown> = {};
	for (const [name, part] of Object.entries(value)) {
		if (part === undefined || part === null) continue;
		if (!isParameter(name)) throw invalid("messages", name, "is not an argument of this command");
		const kind = KINDS[PARAMETER_KINDS[name]];
		if (!kind.is(part)) throw invalid("messages", name, kind.rule);
		parameters[name] = part;
	}
	return parameters;
}

/**
 * Reads the options that another extension gives a model, under the names of this product or of the API (`max_tokens`).
 * Extensions give every model the same ones: what is not known here is left out. Throws `invalid` naming an option of the
 * wrong type. The model is chosen already.
 */
export function decodeModelOptions(options: Readonly<Record<string, unknown>>): ChatParameters {
	const parameters: Record<string, unknown> = {};
	for (const [given, value] of Object.entries(options)) {
		const name = given.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
		if (value === undefined || value === null || name === "model" || !isParameter(name)) continue;
		const kind = KINDS[PARAMETER_KINDS[name]];
		if (!kind.is(value)) throw invalid("messages", given, kind.rule);
		parameters[name] = value;
	}
	return parameters;
}

function optionalName<K extends string>(field: K, value: unknown): { readonly [P in K]?: string } {
	if (value === undefined || value === null) return {};
	if (typeof value !== "string" || value === "") throw invalid("messages", field, "must be a non-empty text");
	return { [field]: value } as { readonly [P in K]: string };
}

/** True if a value is nested in at most so many levels. */
function isWithin(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return true;
	return levels > 0 && Object.values(value).every((each) => isWithin(each, levels - 1));
}

function isParameter(name: string): name is keyof ChatParameters {
	return Object.hasOwn(PARAMETER_KINDS, name);
}

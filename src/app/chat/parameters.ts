import type { MessagesRequest } from "#api/messages/model.ts";
import { anything, flag, list, map, number, object, optional, parse, type Schema, text } from "#base/schema.ts";

/** Fields of a request that follow from the model and the conversation. */
type Derived = "messages" | "tools" | "toolChoice" | "thinking" | "caching" | "extraBody";

/** Parameters of a reply; `undefined` omits a field. */
export type ChatParameters = {
	readonly [K in Exclude<keyof MessagesRequest, Derived>]?: MessagesRequest[K] | undefined;
};

/** Effort without thinking. */
export const NO_EFFORT = "off";

/** Effort chosen by the service. */
export const DEFAULT_EFFORT = "default";

/** Fields of a command's argument for the parameters of a reply; the client validates the values. */
export const PARAMETERS = {
	model: optional(text()),
	maxTokens: optional(number()),
	system: optional(text()),
	temperature: optional(number()),
	topP: optional(number()),
	topK: optional(number()),
	stopSequences: optional(list(text())),
	metadata: optional(map(anything({ depth: 99 }))),
	stream: optional(flag()),
	/** Effort of thinking: one of the model's own, such as `high`, or `off`. */
	effort: optional(text()),
};

/** Schema of the parameters of a reply; null counts as absent. */
export const CHAT_PARAMETERS: Schema<ChatParameters> = object(PARAMETERS, { strict: true });

/** Decodes parameters of a reply; null counts as absent. Throws `invalid` naming the field. */
export function decodeParameters(value: unknown): ChatParameters {
	return parse(CHAT_PARAMETERS, value, "messages", "parameters");
}

/** Decodes model options of other extensions, also by API names (`max_tokens`). Skips unknown ones; throws `invalid`. */
export function decodeModelOptions(options: Readonly<Record<string, unknown>>): ChatParameters {
	const { model: _, ...fields } = PARAMETERS;
	const parameters: Record<string, unknown> = {};
	for (const [given, value] of Object.entries(options)) {
		const name = given.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
		const schema = Object.entries(fields).find(([each]) => each === name)?.[1];
		if (schema === undefined || value === undefined || value === null) continue;
		parameters[name] = parse<unknown>(schema, value, "messages", given);
	}
	return parameters;
}

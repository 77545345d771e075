import { createHash } from "node:crypto";
import { imageSizeOf, imageTypeOf, SHOWN_TYPES } from "#base/image.ts";
import {
	anything,
	flag,
	type Infer,
	integer,
	list,
	map,
	number,
	object,
	oneOf,
	refine,
	type Schema,
	text,
} from "#base/schema.ts";
import { nonEmptyText, shape } from "#sandbox/strict.ts";

/** Schema of an object by its field `type`. */
function byType<S extends Readonly<Record<string, Schema<unknown>>>>(schemas: S): Schema<Infer<S[keyof S]>> {
	const head = object({ type: oneOf(...Object.keys(schemas)) });
	return {
		json: {},
		// The schemas of the record are of these types.
		read: (value, place) => schemas[head.read(value, place).type]?.read(value, place) as Infer<S[keyof S]>,
	};
}

function textOr<T>(words: Schema<string>, blocks: Schema<readonly T[]>): Schema<string | readonly T[]> {
	return { json: {}, read: (value, place) => (Array.isArray(value) ? blocks : words).read(value, place) };
}

const MARK = { cache_control: shape({ type: oneOf("ephemeral") }, { ttl: oneOf("5m", "1h") }) };

const callId = refine(text(), (id) => (/^[\w-]+$/.test(id) ? undefined : "must be of letters, digits, _ and -"));

const toolName = refine(text(), (name) =>
	/^[\w-]{1,64}$/.test(name) ? undefined : "must be of 1 to 64 letters, digits, _ and -",
);

const blockText = refine(text(), (value) => (value.trim() === "" ? "must not be blank" : undefined));

const source = refine(
	shape({ type: oneOf("base64"), media_type: oneOf(...SHOWN_TYPES), data: text() }, {}),
	({ media_type, data }) => {
		const bytes = Buffer.from(data, "base64");
		if (imageTypeOf(bytes)?.type !== media_type) return `must be of the type ${media_type}`;
		return imageSizeOf(bytes) === undefined ? "must be a whole image" : undefined;
	},
);

const SEEN = {
	text: shape({ type: oneOf("text"), text: blockText }, MARK),
	image: shape({ type: oneOf("image"), source }, MARK),
};

const contentBlock = byType({
	...SEEN,
	tool_use: shape({ type: oneOf("tool_use"), id: callId, name: toolName, input: map(anything()) }, MARK),
	tool_result: shape(
		{ type: oneOf("tool_result"), tool_use_id: callId },
		{ content: textOr(text(), list(byType(SEEN))), is_error: flag(), ...MARK },
	),
	thinking: refine(
		shape({ type: oneOf("thinking"), thinking: text(), signature: text() }, {}),
		({ thinking, signature }) =>
			signature === signatureOf(thinking) ? undefined : "must have the signature that its thinking came with",
	),
});

const inputSchema = refine(map(anything()), ({ type, $schema }) =>
	type === "object" && $schema === undefined ? undefined : 'must have the type "object", and no $schema',
);

/**
 * Body of a request. The contract gives no bounds for the optional numbers: `top_p` is a probability, `top_k` a count, and
 * `temperature` 0 to 2, the widest range of such services. Blocks, tools, thinking and caching are beyond the contract.
 */
export const messagesBody = shape(
	{
		model: text({ min: 1, max: 256 }),
		messages: list(
			shape({ role: oneOf("user", "assistant"), content: textOr(nonEmptyText, list(contentBlock, { min: 1 })) }, {}),
			{ min: 1 },
		),
		max_tokens: integer({ min: 1 }),
	},
	{
		stream: flag(),
		system: textOr(text(), list(SEEN.text, { min: 1 })),
		temperature: number({ min: 0, max: 2 }),
		top_p: number({ min: 0, max: 1 }),
		top_k: integer({ min: 0 }),
		stop_sequences: list(nonEmptyText),
		metadata: map(anything()),
		tools: list(shape({ name: toolName, input_schema: inputSchema }, { description: text(), ...MARK })),
		tool_choice: shape({ type: oneOf("auto", "any") }, {}),
		thinking: byType({
			adaptive: shape({ type: oneOf("adaptive") }, {}),
			disabled: shape({ type: oneOf("disabled") }, {}),
			enabled: shape({ type: oneOf("enabled"), budget_tokens: integer({ min: 1024 }) }, {}),
		}),
		output_config: shape({}, { effort: oneOf("low", "medium", "high", "max") }),
	},
);

/** Body of `POST /v1/messages` (contract section 4) with its wire names. */
export type MessagesBody = Infer<typeof messagesBody>;

type Content = MessagesBody["messages"][number]["content"];

/** Content block of a message. */
export type ContentBlock = Infer<typeof contentBlock>;

/** Turn in plain text. */
export interface ReceivedTurn extends Pick<MessagesBody["messages"][number], "role"> {
	readonly content: string;
}

/** Content as blocks: text is one block. */
export function asBlocks(content: Content): readonly ContentBlock[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Text of a message or a result, without its other blocks. */
export function plainText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
	return typeof content === "string" ? content : content.flatMap(({ text: words }) => words ?? []).join("\n\n");
}

/** Tokens of a request: tools, system prompt and messages. */
export function inputTokens({ tools = [], system = "", messages }: MessagesBody): number {
	const blocks = messages.flatMap(({ content }) => asBlocks(content));
	const counts = [...tools, ...asBlocks(system), ...blocks].map((part) => {
		if ("source" in part) {
			const { width = 0, height = 0 } = imageSizeOf(Buffer.from(part.source.data, "base64")) ?? {};
			return Math.ceil((width * height) / 750);
		}
		return countTokens("text" in part ? part.text : JSON.stringify(part));
	});
	return counts.reduce((sum, tokens) => sum + tokens, 0);
}

/** Signature of thinking, to verify that it comes back unchanged. */
export function signatureOf(thinking: string): string {
	return `sandbox-${createHash("sha256").update(thinking).digest("base64url")}`;
}

/** Splits a text into the sandbox's tokens: words with their leading space, of at most 16 characters. */
export function splitTokens(text: string): string[] {
	return text.match(/\s*\S{1,16}|\s+$/gu) ?? [];
}

/** Number of tokens of a text. */
export function countTokens(text: string): number {
	return splitTokens(text).length;
}

import { flag, type Infer, integer, list, number, oneOf, text } from "#base/schema.ts";
import { nonEmptyText, shape } from "#sandbox/strict.ts";
import { metadata } from "./behaviour.ts";

/**
 * Body of a request. The contract gives no bounds for the optional numbers; the sandbox takes those that follow
 * from what they mean: a probability for `top_p`, a count for `top_k`, and for `temperature` 0 to 2, the widest range
 * that services of this kind take.
 */
export const messagesBody = shape(
	{
		model: text({ min: 1, max: 256 }),
		messages: list(shape({ role: oneOf("user", "assistant"), content: nonEmptyText }, {}), { min: 1 }),
		max_tokens: integer({ min: 1 }),
	},
	{
		stream: flag(),
		system: text(),
		temperature: number({ min: 0, max: 2 }),
		top_p: number({ min: 0, max: 1 }),
		top_k: integer({ min: 0 }),
		stop_sequences: list(nonEmptyText),
		metadata,
	},
);

/** The body of `POST /v1/messages` (contract section 4) under the names it has on the wire. */
export type MessagesBody = Infer<typeof messagesBody>;

/** One turn of the conversation, as it came. */
export type ReceivedTurn = MessagesBody["messages"][number];

/** Longer runs without a space, as in Chinese or in code, are several tokens. */
const LONGEST_TOKEN = 16;

const TOKEN = new RegExp(`\\s*\\S{1,${LONGEST_TOKEN}}|\\s+$`, "gu");

/**
 * The sandbox's tokens, an estimate it can count exactly: a word of at most 16 characters with the space before it.
 * Joined they are the text again.
 */
export function splitTokens(text: string): string[] {
	return text.match(TOKEN) ?? [];
}

/** Number of tokens of a text. */
export function countTokens(text: string): number {
	return splitTokens(text).length;
}

import { flag, integer, list, number, oneOf, type Read, record, shape, text } from "#sandbox/strict.ts";

/** One turn of the conversation, as it came. */
export interface Turn {
	readonly role: "user" | "assistant";
	readonly content: string;
}

/** The body of `POST /v1/messages` (contract section 4) under the names it has on the wire. */
export interface MessagesBody {
	readonly model: string;
	readonly messages: readonly Turn[];
	readonly max_tokens: number;
	readonly stream?: boolean;
	readonly system?: string;
	readonly temperature?: number;
	readonly top_p?: number;
	readonly top_k?: number;
	readonly stop_sequences?: readonly string[];
	readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the body strictly. The contract gives no bounds for the optional numbers; the sandbox takes those that follow
 * from what they mean: a probability for `top_p`, a count for `top_k`, and for `temperature` 0 to 2, the widest range
 * that services of this kind take.
 */
export const readMessagesBody: Read<MessagesBody> = shape(
	{
		model: text({ min: 1, max: 256 }),
		messages: list(shape({ role: oneOf("user", "assistant"), content: text({ min: 1 }) }, {}), { min: 1 }),
		max_tokens: integer({ min: 1 }),
	},
	{
		stream: flag,
		system: text(),
		temperature: number({ min: 0, max: 2 }),
		top_p: number({ min: 0, max: 1 }),
		top_k: integer({ min: 0 }),
		stop_sequences: list(text({ min: 1 })),
		metadata: record,
	},
);

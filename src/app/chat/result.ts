import type { ClientError } from "#base/errors.ts";
import { inArgument } from "#base/schema.ts";
import type { ReplyEntry } from "./conversation.ts";
import { PARAMETERS } from "./parameters.ts";
import { definedOnly } from "./request-target.ts";
import type { Hold } from "./turn-queue.ts";

/** Result of `switchboard.chat.send`: plain JSON, nothing of it secret. */
export type SendResult = ReturnType<typeof sendResult>;

/** Result of `switchboard.chat.send` if the message waits for a person. */
export interface QueuedResult {
	readonly conversation: string;
	readonly queued: { readonly id: string; readonly reason: Hold };
}

/** The result of a reply that has ended; `requests` counts retries too. */
export function sendResult(conversation: string, { ended }: ReplyEntry) {
	if (ended === undefined) throw new Error("the reply has not ended");
	const { reply, outcome, requests, error } = ended;
	const { id, model, role, stopReason, stopSequence, usage } = reply;
	const blocks = reply.blocks.map(({ index, type, text }) => ({ index, type, text }));
	const failure = error && errorResult(inArgument(error, PARAMETERS));
	return {
		...{ conversation, message: { id, model, role }, blocks, outcome, stopReason, stopSequence, usage },
		...(failure === undefined ? {} : { error: failure }),
		requests,
	};
}

function errorResult({ code, message, status, requestId, retryAfterMs, field }: ClientError) {
	return { code, message, ...definedOnly({ status, requestId, retryAfterMs, field }) };
}

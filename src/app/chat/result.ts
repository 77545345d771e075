import type { ClientError, ErrorCode } from "#base/errors.ts";
import type { Outcome, Usage } from "#base/reply.ts";
import { inArgument } from "#base/schema.ts";
import type { ReplyEntry } from "./conversation.ts";
import { PARAMETERS } from "./parameters.ts";
import { definedOnly } from "./request-target.ts";
import type { Hold } from "./turn-queue.ts";

interface ErrorFacts {
	readonly status: number;
	readonly requestId: string;
	readonly retryAfterMs: number;
	readonly field: string;
}

/** Result of `switchboard.chat.send`: plain JSON, nothing of it secret. */
export interface SendResult {
	readonly conversation: string;
	readonly message: { readonly id: string | null; readonly model: string | null; readonly role: string | null };
	readonly blocks: readonly { readonly index: number; readonly type: string; readonly text: string }[];
	readonly outcome: Outcome;
	readonly stopReason: string | null;
	readonly stopSequence: string | null;
	readonly usage: Usage;
	readonly error?: { readonly code: ErrorCode; readonly message: string } & Partial<ErrorFacts>;
	/** HTTP requests made, retries included. */
	readonly requests: number;
}

/** Result of `switchboard.chat.send` if the message waits for a person. */
export interface QueuedResult {
	readonly conversation: string;
	readonly queued: { readonly id: string; readonly reason: Hold };
}

/** The result of a reply that has ended. */
export function sendResult(conversation: string, entry: ReplyEntry): SendResult {
	if (entry.ended === undefined) throw new Error("the reply has not ended");
	const { reply, outcome, requests } = entry.ended;
	const error = entry.ended.error && inArgument(entry.ended.error, PARAMETERS);
	return {
		conversation,
		message: { id: reply.id, model: reply.model, role: reply.role },
		blocks: reply.blocks.map(({ index, type, text }) => ({ index, type, text })),
		outcome,
		stopReason: reply.stopReason,
		stopSequence: reply.stopSequence,
		usage: reply.usage,
		...(error === undefined ? {} : { error: errorResult(error) }),
		requests,
	};
}

function errorResult({
	code,
	message,
	status,
	requestId,
	retryAfterMs,
	field,
}: ClientError): NonNullable<SendResult["error"]> {
	return { code, message, ...definedOnly<ErrorFacts>({ status, requestId, retryAfterMs, field }) };
}

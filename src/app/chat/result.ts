import type { ClientError } from "#base/errors.ts";
import { inArgument } from "#base/schema.ts";
import type { ReplyEntry } from "./conversation.ts";
import { PARAMETERS } from "./parameters.ts";
import { joinedBlocks, ownBlocks, roundsOf, usageOf } from "./parts.ts";
import { definedOnly } from "./request-target.ts";
import type { ChatSession } from "./session.ts";

/** Result of `switchboard.chat.send`: plain JSON without secrets. */
export type SendResult = ReturnType<typeof sendResult>;

/** Result of `switchboard.chat.send` for a message that stays in the queue. */
export interface QueuedResult {
	readonly conversation: string;
	readonly queued: { readonly id: string; readonly reason: "reply" };
}

/** Result of an ended reply and its earlier rounds of calls; `requests` includes retries. */
export function sendResult({ id: conversation, tree }: Pick<ChatSession, "id" | "tree">, last: ReplyEntry) {
	const { ended } = last;
	if (ended === undefined) throw new Error("the reply has not ended");
	const found = roundsOf(last.id, tree);
	const rounds = found.length === 0 ? [last] : found;
	const { reply, outcome, error } = ended;
	const { id, model, role, stopReason, stopSequence } = reply;
	const blocks = joinedBlocks(rounds, ownBlocks).map(({ index, type, text }) => ({ index, type, text }));
	const calls = rounds.flatMap((round) => round.calls.map(({ name, title, state }) => ({ name, title, state })));
	const usage = usageOf(rounds);
	const failure = error && errorResult(inArgument(error, PARAMETERS));
	return {
		conversation,
		message: { id, model, role },
		blocks,
		outcome,
		stopReason,
		stopSequence,
		usage,
		...(calls.length === 0 ? {} : { calls }),
		...(failure === undefined ? {} : { error: failure }),
		requests: rounds.reduce((sum, round) => sum + (round.ended?.requests ?? 0), 0),
	};
}

function errorResult({ code, message, status, requestId, retryAfterMs, field }: ClientError) {
	return { code, message, ...definedOnly({ status, requestId, retryAfterMs, field }) };
}

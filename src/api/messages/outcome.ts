import type { Outcome } from "#base/reply.ts";
import type { Reply } from "./model.ts";

/**
 * The outcome of a reply that the service itself has ended: with `message_stop`, with an error, or as a whole JSON
 * message. Null while it has done neither: such a reply is never complete, whatever its stop reason says.
 */
export function outcomeOf(reply: Reply): Outcome | null {
	if (reply.error !== null) return "failed";
	if (!reply.finished) return null;
	switch (reply.stopReason) {
		case "max_tokens":
		case "model_context_window_exceeded":
			return "truncated";
		case "refusal":
			return "refused";
		case "stop_sequence":
			return "stop-sequence";
		default:
			// Some services name the sequence that was met and say `end_turn` all the same.
			return reply.stopSequence ? "stop-sequence" : "complete";
	}
}

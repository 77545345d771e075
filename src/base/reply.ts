/** Outcome of a reply: exactly one of these. Nothing is `complete` unless the service said so. */
export type Outcome =
	| "complete"
	/** The service stopped at `max_tokens`. */
	| "truncated"
	/** One of the request's stop sequences was met. */
	| "stop-sequence"
	/** The service waits for the results of the tools that the reply calls. */
	| "tool-use"
	| "refused"
	/** The service ended it for a reason that is not known here, such as `pause_turn`. */
	| "other"
	/** The person stopped it. */
	| "stopped"
	/** The stream ended before the service had ended the reply. */
	| "interrupted"
	/** Silence has exceeded its limit. */
	| "stalled"
	| "failed";

const ENDED_BY_SERVICE: ReadonlySet<string> = new Set<Outcome>([
	"complete",
	"truncated",
	"stop-sequence",
	"tool-use",
	"refused",
	"other",
]);

/** True if the service itself ended a reply, so that its report of tokens is final. */
export function isEndedByService(outcome: Outcome): boolean {
	return ENDED_BY_SERVICE.has(outcome);
}

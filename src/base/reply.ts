import { capitalized } from "./one-line.ts";

/** Words for the outcomes of replies, first for those by which the service itself ends one. */
export const OUTCOME_WORDS = {
	/** The service said so. */
	complete: "Complete",
	/** The service stopped at `max_tokens`. */
	truncated: "Cut off",
	/** One of the request's stop sequences was met. */
	"stop-sequence": "Ended at a stop sequence",
	/** The service waits for the results of the tools that the reply calls. */
	"tool-use": "Called tools",
	refused: "Refused",
	/** The service ended it for an unknown reason, such as `pause_turn`. */
	other: "Ended for another reason",
	/** The person stopped it. */
	stopped: "Stopped",
	/** The stream ended before the service had ended the reply. */
	interrupted: "Interrupted",
	/** Silence has exceeded its limit. */
	stalled: "Stalled",
	failed: "Failed",
} as const;

/** Outcome of a reply. */
export type Outcome = keyof typeof OUTCOME_WORDS;

/** Outcomes in the order of {@link OUTCOME_WORDS}. */
export const OUTCOMES = Object.keys(OUTCOME_WORDS) as readonly Outcome[];

/** Name of a block for a person, from its type on the wire: `redacted_thinking` is "Redacted thinking". */
export function blockName(type: string): string {
	return capitalized(type).replaceAll("_", " ");
}

/** True if the service ended the reply, so that its token counts are final. */
export function isEndedByService(outcome: Outcome): boolean {
	return OUTCOMES.indexOf(outcome) <= OUTCOMES.indexOf("other");
}

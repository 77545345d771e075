/** Outcomes of replies, first those by which the service itself ends one. */
export const OUTCOMES = [
	/** The service said so. */
	"complete",
	/** The service stopped at `max_tokens`. */
	"truncated",
	/** One of the request's stop sequences was met. */
	"stop-sequence",
	/** The service waits for the results of the tools that the reply calls. */
	"tool-use",
	"refused",
	/** The service ended it for an unknown reason, such as `pause_turn`. */
	"other",
	/** The person stopped it. */
	"stopped",
	/** The stream ended before the service had ended the reply. */
	"interrupted",
	/** Silence has exceeded its limit. */
	"stalled",
	"failed",
] as const;

/** Outcome of a reply. */
export type Outcome = (typeof OUTCOMES)[number];

/** Words for each outcome. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
	complete: "Complete",
	truncated: "Cut off",
	"stop-sequence": "Ended at a stop sequence",
	"tool-use": "Called tools",
	refused: "Refused",
	other: "Ended for another reason",
	stopped: "Stopped",
	interrupted: "Interrupted",
	stalled: "Stalled",
	failed: "Failed",
};

/** Name of a block for a person, from its type on the wire: `redacted_thinking` is "Redacted thinking". */
export function blockName(type: string): string {
	return `${type.charAt(0).toUpperCase()}${type.slice(1)}`.replaceAll("_", " ");
}

/** True if the service ended the reply, so that its token counts are final. */
export function isEndedByService(outcome: Outcome): boolean {
	return OUTCOMES.indexOf(outcome) <= OUTCOMES.indexOf("other");
}

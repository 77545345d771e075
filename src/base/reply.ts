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

/** Tokens as the service last reported them; null where it reported none. */
export interface Usage {
	readonly inputTokens: number | null;
	readonly outputTokens: number | null;
	/** Part of the input that the service had in its cache; absent where it reports none. */
	readonly cachedTokens?: number;
}

/** Price of a million tokens of a model. */
export interface Price {
	readonly input: number;
	readonly output: number;
	/** Of the part of the input that the service has in its cache; absent where it costs as much as any other. */
	readonly cached?: number;
	/** A few letters such as `EUR`. */
	readonly currency: string;
}

/** Prices by the name of the model. */
export type Prices = Readonly<Record<string, Price>>;

/** Cost of tokens by the prices of a million; cached ones cost as much as any other where they have no price. */
export function costOf(
	{ inputTokens, outputTokens, cachedTokens = 0 }: Usage,
	{ input, output, cached = input }: Omit<Price, "currency">,
): number {
	const kept = Math.min(cachedTokens, inputTokens ?? 0);
	return (((inputTokens ?? 0) - kept) * input + kept * cached + (outputTokens ?? 0) * output) / 1e6;
}

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

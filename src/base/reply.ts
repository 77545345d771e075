/** Outcome of a reply: exactly one of these. Nothing is `complete` unless the service said `message_stop`. */
export type Outcome =
	| "complete"
	/** The service stopped at `max_tokens`. */
	| "truncated"
	/** One of the request's stop sequences was met. */
	| "stop-sequence"
	/** The service waits for the results of the tools that the reply calls. */
	| "tool-use"
	| "refused"
	/** The person stopped it. */
	| "stopped"
	/** The stream ended without `message_stop`. */
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

/** Cost of tokens by the prices of a million; cached ones cost as much as any other where they have no price. */
export function costOf(
	{ inputTokens, outputTokens, cachedTokens = 0 }: Usage,
	{ input, output, cached = input }: { readonly input: number; readonly output: number; readonly cached?: number },
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
]);

/** True if the service itself ended a reply, so that its report of tokens is final. */
export function isEndedByService(outcome: Outcome): boolean {
	return ENDED_BY_SERVICE.has(outcome);
}

import type { RateState } from "#api/codehost/model.ts";

/** What the time of the next refresh that nobody asked for depends on. */
export interface BackgroundConditions {
	/** Whether the window has the focus. */
	readonly focused: boolean;
	/** The limit of the connection that would be asked; null while nothing is known of it. */
	readonly rate: RateState | null;
	/** Refreshes that failed since the last one that did not. */
	readonly failures: number;
	/** The wanted interval; 0 means never. Milliseconds. */
	readonly intervalMs: number;
	/** How much of the interval has passed already; none when absent. Milliseconds. */
	readonly elapsedMs?: number;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** However often it fails, it is tried again after so long. Milliseconds. */
const LONGEST_DELAY_MS = 60 * 60 * 1_000;
/** Windows that were opened together must not go on asking together. */
const JITTER = 0.2;

/**
 * Milliseconds until the next refresh that nobody asked for; null when there is to be none under these conditions. While
 * a limit is low or used up, it waits for the end of its window. `random` is in [0, 1).
 */
export function backgroundDelayMs(
	{ focused, rate, failures, intervalMs, elapsedMs = 0, now }: BackgroundConditions,
	random: number,
): number | null {
	if (!focused || !(intervalMs > 0)) return null;
	const resumesAt = resumptionOf(rate, now);
	if (resumesAt === null) return null;
	const patient = Math.max(intervalMs, Math.min(LONGEST_DELAY_MS, intervalMs * 2 ** failures));
	const spread = 1 + JITTER * random;
	return Math.round(Math.max(patient * spread - elapsedMs, (resumesAt - now) * spread, 0));
}

/** When a limit leaves room again for what nobody asked for; null when nobody knows. */
function resumptionOf(rate: RateState | null, now: number): number | null {
	if (rate === null) return now;
	if (rate.stopped) return null;
	const low = rate.low ? (rate.gauge?.resetAt ?? null) : now;
	return low === null ? null : Math.max(low, rate.closedUntil ?? now);
}

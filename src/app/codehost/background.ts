import type { RateState } from "#api/codehost/model.ts";

/** Conditions for a background request. */
export interface RoomConditions {
	/** True if the window has the focus. */
	readonly focused: boolean;
	/** True if the service has refused the credential, or there is none: only a person can mend that. */
	readonly refused: boolean;
	/** The limit of the connection that would be asked; null while nothing is known of it. */
	readonly rate: RateState | null;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** Conditions for the time of the next background refresh. */
export interface BackgroundConditions extends RoomConditions {
	/** Refreshes that failed since the last one that did not. */
	readonly failures: number;
	/** The wanted interval; 0 means never. Milliseconds. */
	readonly intervalMs: number;
	/** Part of the interval that has passed already; none when absent. Milliseconds. */
	readonly elapsedMs?: number;
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
	{ failures, intervalMs, elapsedMs = 0, ...room }: BackgroundConditions,
	random: number,
): number | null {
	if (!(intervalMs > 0)) return null;
	const resumesAt = resumptionOf(room);
	if (resumesAt === null) return null;
	const { now } = room;
	const patient = Math.max(intervalMs, Math.min(LONGEST_DELAY_MS, intervalMs * 2 ** failures));
	const spread = 1 + JITTER * random;
	return Math.round(Math.max(patient * spread - elapsedMs, (resumesAt - now) * spread, 0));
}

/** True if a background request may be made right now. */
export function hasRoom(conditions: RoomConditions): boolean {
	const resumesAt = resumptionOf(conditions);
	return resumesAt !== null && resumesAt <= conditions.now;
}

/** When there is room again for what nobody asked for; null when nobody knows. */
function resumptionOf({ focused, refused, rate, now }: RoomConditions): number | null {
	if (!focused || refused) return null;
	if (rate === null) return now;
	return Math.max(rate.lowUntil ?? now, rate.closedUntil ?? now, rate.stoppedUntil ?? now);
}

import { askedWaitMs } from "../http/retry.ts";
import type { RateGauge, RateLimitHeaders } from "./model.ts";

/** Backoff after refusals without a reset; after the last one a person has to try again. Milliseconds. */
const GUESSED_WAITS_MS: readonly number[] = [60_000, 120_000, 240_000];
/** A reset further away than this is not believed: windows are an hour long. Milliseconds. */
const FURTHEST_RESET_MS = 2 * 60 * 60 * 1_000;
/** A service that asks for more patience than this is asked again after it. Milliseconds. */
const MOST_PATIENCE_MS = 24 * 60 * 60 * 1_000;
/** Numbers from here on are milliseconds since the epoch, smaller ones are seconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** The share of the limit under which it counts as low. */
const LOW_SHARE = 0.1;
/** Calls per hour where the service does not report its limit (contract section 8). */
const DOCUMENTED_LIMIT = 5_000;

/** Headers of a reply, names in lower case. */
type Headers = Readonly<Record<string, string>>;

/** By whose names and by what wall time, in epoch milliseconds, a reply is read. */
interface LimitReading {
	readonly names: RateLimitHeaders;
	readonly now: number;
}

/**
 * True if a reply refuses because a limit is used up. A 429 always does; a 403 only with `Retry-After`, with nothing
 * remaining, or if it says so: any other 403 is about permission. `message` is the service's own, perhaps empty.
 */
export function isLimit(
	{ status, headers, message }: { readonly status: number; readonly headers: Headers; readonly message: string },
	names: RateLimitHeaders,
): boolean {
	if (status === 429) return true;
	if (status !== 403) return false;
	if (headers["retry-after"] !== undefined || numberIn(headers, names.remaining) === 0) return true;
	return /rate[ _-]?limit|rate exceeded|quota|abuse[ _-]detection|too many|throttl|wait a few minutes/i.test(message);
}

/**
 * Milliseconds until calls make sense again after a reply that {@link isLimit}; null once all guesses were used.
 * Believed first is `Retry-After`, up to a day, then a reset within the next two hours, then nothing: 60, 120, 240 s by
 * the number of `strikes`, the earlier refusals without a time.
 */
export function limitWaitMs(
	headers: Headers,
	{ names, now, strikes }: LimitReading & { readonly strikes: number },
): { readonly ms: number | null; readonly guessed: boolean } {
	const asked = askedWaitMs(headers, serverTimeOf(headers) ?? now) ?? askedWaitMs(headers, now);
	// "Now" from a service that has just refused says nothing.
	if (asked !== undefined && asked > 0) return { ms: Math.min(asked, MOST_PATIENCE_MS), guessed: false };
	const reset = resetInMs(headers, { names, now });
	if (reset !== null) return { ms: reset, guessed: false };
	return { ms: GUESSED_WAITS_MS[strikes] ?? null, guessed: true };
}

/** Limit that a reply reports; null for "not reported", which does not mean that nothing is left. */
export function readGauge(headers: Headers, { names, now }: LimitReading): RateGauge | null {
	const remaining = numberIn(headers, names.remaining);
	if (remaining === null) return null;
	const inMs = resetInMs(headers, { names, now });
	return { remaining, limit: numberIn(headers, names.limit), resetAt: inMs === null ? null : now + inMs };
}

/** True if less than a tenth of the limit is left. */
export function isLow(gauge: RateGauge | null): boolean {
	return gauge !== null && gauge.remaining < LOW_SHARE * (gauge.limit ?? DOCUMENTED_LIMIT);
}

/** The time a reply was sent, by the service's own clock, milliseconds since the epoch; null where it does not say. */
export function serverTimeOf(headers: Headers): number | null {
	const date = headers["date"];
	// Only what has a month name is a date: Date.parse reads bare numbers as one too.
	if (date === undefined || !/[a-z]{3}/i.test(date)) return null;
	const time = Date.parse(date);
	return Number.isNaN(time) ? null : time;
}

/**
 * Milliseconds until the window ends. Counted by the service's own `Date` if sent, since this machine's clock may be
 * wrong; null for a time that is past or too far away to be one.
 */
function resetInMs(headers: Headers, { names, now }: LimitReading): number | null {
	const reset = numberIn(headers, names.reset);
	if (reset === null) return null;
	const at = reset < FIRST_MILLISECONDS ? reset * 1_000 : reset;
	for (const time of [serverTimeOf(headers), now]) {
		if (time !== null && at > time && at - time <= FURTHEST_RESET_MS) return at - time;
	}
	return null;
}

function numberIn(headers: Headers, name: string | undefined): number | null {
	const value = name === undefined ? undefined : headers[name.toLowerCase()];
	return value !== undefined && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : null;
}

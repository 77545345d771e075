import { askedWaitMs } from "../http/retry.ts";
import type { RateGauge, RateLimitHeaders } from "./model.ts";

/** Backoff after refusals without a reset; then a person has to try again. Milliseconds. */
const GUESSED_WAITS_MS: readonly number[] = [60_000, 120_000, 240_000];
/** Latest believable reset: windows are an hour long. Milliseconds. */
const FURTHEST_RESET_MS = 2 * 60 * 60 * 1_000;
/** Longest `Retry-After` that is followed. Milliseconds. */
const MOST_PATIENCE_MS = 24 * 60 * 60 * 1_000;
/** Smallest time in milliseconds; smaller numbers are seconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
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

/** True for a used-up limit: a 429, or a 403 with `Retry-After`, nothing remaining, or a `message` that says so. */
export function isLimit(
	{ status, headers, message }: { readonly status: number; readonly headers: Headers; readonly message: string },
	names: RateLimitHeaders,
): boolean {
	if (status === 429) return true;
	if (status !== 403) return false;
	if (headers["retry-after"] !== undefined || numberIn(headers, names.remaining) === 0) return true;
	return /rate[ _-]?limit|rate exceeded|quota|abuse[ _-]detection|too many|throttl|wait a few minutes/i.test(message);
}

/** Wait in ms: `Retry-After` up to a day, else a reset within two hours, else a backoff by `strikes`, then null. */
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

/** Rate limit that a reply reports; null if it reports none. */
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

/** Time of a reply by the service's clock in epoch milliseconds; null if unknown. */
export function serverTimeOf(headers: Headers): number | null {
	const date = headers["date"];
	// Only what has a month name is a date: Date.parse reads bare numbers as one too.
	if (date === undefined || !/[a-z]{3}/i.test(date)) return null;
	const time = Date.parse(date);
	return Number.isNaN(time) ? null : time;
}

/** Milliseconds until the reset, by the service's `Date` if sent; null for an implausible time. */
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

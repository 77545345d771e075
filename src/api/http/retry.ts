/** Statuses that last although the service or a gateway has failed: it does not support what it was asked for. */
const LASTING_FAILURES: ReadonlySet<number> = new Set([501, 505]);

/** True for the status of a reply that may be different a moment later. */
export function isPassingStatus(status: number): boolean {
	return [408, 409, 429].includes(status) || (status >= 500 && !LASTING_FAILURES.has(status));
}

/** The first wait of the backoff, doubled with every try. Milliseconds. */
const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;
/** A wait is shortened by up to this share at random, so that many clients do not come back together. */
const JITTER = 0.25;

/** A try that did not succeed. */
export interface FailedTry {
	/** Number of the try; the first is 1. */
	readonly attempt: number;
	/** The reply's status, or null when the connection failed. */
	readonly status: number | null;
	/** The reply's headers, names in lower case; empty when there was no reply. */
	readonly headers: Readonly<Record<string, string>>;
	/** For a failed connection: whether trying again can help. */
	readonly passing?: boolean;
}

/** The limits of trying again. */
interface RetryPolicy {
	readonly maxAttempts: number;
	/** A service that asks for a longer wait is not asked again. Milliseconds. */
	readonly maxRetryWaitMs: number;
	/** Time left to the call: there is no try that a longer wait would leave no time for. Milliseconds. */
	readonly leftMs?: number;
	/** Wall time, for `retry-after` dates. Milliseconds since the epoch. */
	readonly now: number;
	/** A number in [0, 1). */
	readonly random: number;
}

/**
 * Milliseconds to wait before the next try, or null when there shall be none: the failure is a lasting one, the tries
 * are used up, or the service asks for more patience than allowed ({@link askedWaitMs} says how much).
 * `x-should-retry` decides over the status; `retry-after-ms` and `retry-after` over the exponential backoff.
 */
export function retryWaitMs(failed: FailedTry, policy: RetryPolicy): number | null {
	if (failed.attempt >= policy.maxAttempts || !worthAnotherTry(failed)) return null;
	const asked = askedWaitMs(failed.headers, policy.now);
	const { maxRetryWaitMs, leftMs = Number.POSITIVE_INFINITY } = policy;
	const backoff = Math.min(FIRST_WAIT_MS * 2 ** (failed.attempt - 1), LONGEST_BACKOFF_MS);
	const waitMs = asked ?? Math.min(backoff * (1 - JITTER * policy.random), maxRetryWaitMs);
	return waitMs <= maxRetryWaitMs && waitMs < leftMs ? waitMs : null;
}

function worthAnotherTry({ status, headers, passing }: FailedTry): boolean {
	if (status === null) return passing ?? true;
	if (status < 400) return false;
	const advice = headers["x-should-retry"]?.trim().toLowerCase();
	if (advice === "true") return true;
	if (advice === "false") return false;
	return isPassingStatus(status);
}

/**
 * Wait that a reply asks for, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date. Undefined
 * for a malformed or negative value, or a date in the past.
 */
export function askedWaitMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	const { "retry-after-ms": ms = "", "retry-after": after = "" } = headers;
	return waitOf(ms, 1) ?? waitOf(after, 1_000) ?? millisecondsUntil(after, now);
}

function waitOf(value: string, unitMs: number): number | undefined {
	if (!/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
	return Math.min(Number(value) * unitMs, Number.MAX_SAFE_INTEGER);
}

function millisecondsUntil(date: string, now: number): number | undefined {
	// Only what has a month name is a date: Date.parse would read "-5" as one too.
	const wait = /[a-z]{3}/i.test(date) ? Date.parse(date) - now : Number.NaN;
	return wait >= 0 ? wait : undefined;
}

/** True for the status of a temporary failure; 501 and 505 mean that the request is not supported. */
export function isPassingStatus(status: number): boolean {
	return [408, 409, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);
}

/** First backoff, doubled with every attempt. Milliseconds. */
const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;
/** Random share by which a backoff is shortened, so that clients do not retry in step. */
const JITTER = 0.25;

/** Failed attempt. */
export interface FailedTry {
	/** Number of the attempt, from 1. */
	readonly attempt: number;
	/** Status of the reply; null if the connection failed. */
	readonly status: number | null;
	/** Headers of the reply, names in lower case; empty without a reply. */
	readonly headers: Readonly<Record<string, string>>;
	/** True if the failure of a connection may pass. */
	readonly passing?: boolean;
}

interface RetryPolicy {
	readonly maxAttempts: number;
	/** Longest wait that a service may ask for. Milliseconds. */
	readonly maxRetryWaitMs: number;
	/** Time left to the call; a retry must fit in. Milliseconds. */
	readonly leftMs?: number;
	/** Wall time, for `retry-after` dates. Milliseconds since the epoch. */
	readonly now: number;
	/** A number in [0, 1). */
	readonly random: number;
}

/** Wait before the next try in ms; null for none. `x-should-retry` outranks the status, `retry-after` the backoff. */
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

/** Longest wait in ms of `retry-after-ms`, else of `retry-after`; undefined if malformed, negative or past. */
export function askedWaitMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	return (
		longest(headers["retry-after-ms"], (value) => waitOf(value, 1)) ??
		longest(headers["retry-after"], (value) => waitOf(value, 1_000) ?? millisecondsUntil(value, now))
	);
}

/** Largest value of a header whose values are joined by commas; a date has a comma of its own. */
function longest(header = "", read: (value: string) => number | undefined): number | undefined {
	const values = header.match(/(\s*[a-z]{3,9},)?[^,]+/gi) ?? [];
	const waits = values.map(read).filter((wait) => wait !== undefined);
	return waits.length === 0 ? undefined : Math.max(...waits);
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

import type { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import type { Patience } from "../http/caller.ts";
import type { RequestNotice } from "../http/notice.ts";

/** Result of a call. */
export interface Answer<T> {
	/** The HTTP status of the reply; of the last one where several requests were needed. */
	readonly status: number;
	readonly data: T;
	/** From the call to its end, waits included. Milliseconds. */
	readonly ms: number;
	/** HTTP requests made for it, retries and redirects included. */
	readonly requests: number;
	/** Items of a list that were left out, since they are no such thing. */
	readonly leftOut: number;
}

/** A read failed and is made again after a wait. */
export interface RetryNotice {
	/** Milliseconds until the next try. */
	readonly inMs: number;
	/** The number of the next try; the first try of all is 1. */
	readonly attempt: number;
	readonly error: ClientError;
}

/** Hears what a client does. Called synchronously; an error thrown by it touches nothing. */
export interface PetstoreObserver {
	/** An HTTP exchange is over. */
	onRequest?(notice: RequestNotice): void;
	onRetry?(notice: RetryNotice): void;
}

/** Timeouts and retries of a client; a change is never made twice. */
export type PetstorePatience = Patience;

/** The patience of the design: 4 tries, waits of at most a minute, the end after 30 s of silence. */
export const defaultPetstorePatience: PetstorePatience = {
	maxAttempts: 4,
	maxRetryWaitMs: 60_000,
	silenceLimitMs: LIMITS.betweenBytesMs,
};

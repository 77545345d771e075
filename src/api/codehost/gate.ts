import { type Clock, sleep } from "#base/clock.ts";
import { msInWords } from "#base/duration.ts";
import { ClientError } from "#base/errors.ts";
import { OriginLimiters } from "../http/concurrency-limiter.ts";
import type { TokenSource } from "./credential.ts";
import type { RateGauge, RateLimitHeaders, RateState } from "./model.ts";
import { isLow, limitWaitMs, readGauge } from "./rate-limit.ts";

/** Length of a window of the limit. Milliseconds. */
const WINDOW_MS = 60 * 60 * 1_000;

/** Leave to make one request. */
export interface Pass {
	/** Number of times that the gate had been closed when it was given. */
	readonly closures: number;
	/** Header names by which the reply is read: a profile may be edited. */
	readonly names: RateLimitHeaders;
}

interface Closure {
	/** By both clocks: the wall clock may be set, the monotonic one may stop in a sleep. */
	readonly untilMonotonic: number;
	readonly untilWall: number;
	readonly stopped: boolean;
}

/** Holds back the calls of a rate limit while it is used up. */
export class RateGate {
	readonly #clock: Clock;
	#gauge: RateGauge | null = null;
	/** Wall time at which the service reported it. */
	#reportedAt = 0;
	#closure: Closure | null = null;
	/** Number of closures: a refusal with an older one was under way at the time. */
	#closures = 0;
	/** Refusals in a row that did not say when to come back. */
	#strikes = 0;
	#reopened = Promise.withResolvers<void>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get state(): RateState {
		const closedMs = this.#closedMs();
		const stopped = closedMs > 0 && this.#closure?.stopped === true;
		const until = closedMs > 0 ? this.#clock.now() + closedMs : null;
		const end = this.#gauge?.resetAt ?? this.#reportedAt + WINDOW_MS;
		// Without a report since, the remaining requests are unknown after the window.
		const gauge = end > this.#clock.now() ? this.#gauge : null;
		return { gauge, low: isLow(gauge), closedUntil: stopped ? null : until, stopped };
	}

	/** True if the gate was closed since a pass was given, and still is. */
	isClosedSince({ closures }: Pass): boolean {
		return closures !== this.#closures && this.#closedMs() > 0;
	}

	/** Waits until a call may be made. Rejects with `rate-limited` if that exceeds `maxWaitMs`, or when aborted. */
	async enter({
		names,
		signal,
		maxWaitMs,
		onWait,
	}: Pick<Pass, "names"> & {
		readonly signal?: AbortSignal | undefined;
		readonly maxWaitMs: number;
		/** Announces a wait; the function it returns announces its end. */
		readonly onWait: (ms: number) => () => void;
	}): Promise<Pass> {
		for (;;) {
			signal?.throwIfAborted();
			const ms = this.#closedMs();
			if (ms === 0) return { closures: this.#closures, names };
			if (this.#closure?.stopped === true) {
				const sentence = "Rate limit reached. The service does not say when it resets.";
				throw new ClientError("codehost", "rate-limited", sentence);
			}
			if (ms > maxWaitMs) {
				const sentence = `Rate limit reached; the next request can be made in ${msInWords(ms)}.`;
				throw new ClientError("codehost", "rate-limited", sentence, { retryAfterMs: Math.ceil(ms) });
			}
			const onWaitEnd = onWait(ms);
			await this.#pause(ms, signal).finally(onWaitEnd);
		}
	}

	/** Records a reply that was not refused for the limit. */
	note(headers: Readonly<Record<string, string>>, pass: Pass): void {
		const gauge = this.#read(headers, pass);
		if (pass.closures !== this.#closures) return;
		this.#strikes = 0;
		// The next call would be refused: it waits as if it had been.
		if (gauge?.remaining === 0) this.refuse(headers, pass);
	}

	/** Records a reply which says that the limit is used up, and closes. */
	refuse(headers: Readonly<Record<string, string>>, pass: Pass): void {
		this.#read(headers, pass);
		const { ms, guessed } = limitWaitMs(headers, { names: pass.names, now: this.#clock.now(), strikes: this.#strikes });
		// Calls that were under way together are refused together: that is one refusal, not many.
		if (pass.closures !== this.#closures && (guessed || (ms ?? 0) <= this.#closedMs())) return;
		if (guessed) this.#strikes += 1;
		this.#closures += 1;
		const closedMs = ms ?? WINDOW_MS;
		this.#closure = {
			untilMonotonic: this.#clock.monotonic() + closedMs,
			untilWall: this.#clock.now() + closedMs,
			stopped: ms === null,
		};
	}

	/** Lets the next call through at once: a person has asked to try again. */
	reopen(): void {
		this.#closure = null;
		this.#strikes = 0;
		this.#reopened.resolve();
		this.#reopened = Promise.withResolvers();
	}

	#read(headers: Readonly<Record<string, string>>, { names }: Pass): RateGauge | null {
		const gauge = readGauge(headers, { names, now: this.#clock.now() });
		if (gauge === null) return null;
		this.#gauge = gauge;
		this.#reportedAt = this.#clock.now();
		return gauge;
	}

	/** Milliseconds until it opens; 0 when it is open. */
	#closedMs(): number {
		if (this.#closure === null) return 0;
		const { untilMonotonic, untilWall } = this.#closure;
		return Math.max(0, Math.min(untilMonotonic - this.#clock.monotonic(), untilWall - this.#clock.now()));
	}

	async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
		const over = new AbortController();
		const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
		try {
			await Promise.race([sleep(this.#clock, ms, either), this.#reopened.promise]);
		} finally {
			over.abort();
		}
	}
}

/** Concurrent requests at one host, as of a browser: hosts take more for an attack. */
const MOST_AT_ONCE = 6;

/** Concurrency and rate limits of a process, shared by all clients. */
export class RateLimits {
	readonly #clock: Clock;
	readonly limiters = new OriginLimiters(MOST_AT_ONCE);
	readonly #gates = new Map<string, RateGate>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Gate before the calls that count against one limit, such as those of one user. */
	gate({ origin, bucket }: Pick<TokenSource, "origin" | "bucket">): RateGate {
		const key = `${origin} ${bucket}`;
		const gate = this.#gates.get(key) ?? new RateGate(this.#clock);
		this.#gates.set(key, gate);
		return gate;
	}
}

import { type Clock, sleep } from "#base/clock.ts";
import { inWords } from "#base/duration.ts";
import { ClientError } from "#base/errors.ts";
import type { RateGauge, RateLimitHeaders, RateState } from "./model.ts";
import { isLow, limitWaitMs, readGauge } from "./rate-limit.ts";

/** The length of a window. So long nothing is asked of its own accord once guessing was given up. Milliseconds. */
const WINDOW_MS = 60 * 60 * 1_000;

/** Leave to make one request; to be given back with {@link RateGate.leave} when its reply is there. */
export interface Pass {
	/** Number of times that the gate had been closed when it was given. */
	readonly closures: number;
	/** By whose names the reply is read. */
	readonly names: RateLimitHeaders;
}

/** Options of waiting at the gate. */
export interface EnterOptions {
	/** Header names of the caller's profile: connections of one user may differ, and a profile may be edited. */
	readonly names: RateLimitHeaders;
	readonly signal?: AbortSignal | undefined;
	/** A longer wait is refused at once. Milliseconds. */
	readonly maxWaitMs: number;
	/** Called when a wait begins that is due to the limit; what it returns is called when that wait is over. */
	readonly onWait: (ms: number) => () => void;
}

interface Closure {
	/** By both clocks: the wall clock may be set, the monotonic one may stand still while the machine sleeps. */
	readonly untilMonotonic: number;
	readonly untilWall: number;
	readonly stopped: boolean;
}

/**
 * Stands before all calls that count against one limit. A reply that refuses closes it for every caller; while the time
 * to come back is only guessed, the callers behind it go one by one until a reply is no refusal. Near the end of a
 * limit no more calls are let in at once than are left.
 */
export class RateGate {
	readonly #clock: Clock;
	#gauge: RateGauge | null = null;
	/** When the service reported it; by the wall clock, which goes on while the machine sleeps. */
	#reportedAt = 0;
	#closure: Closure | null = null;
	/** Number of times it was closed: tells a new refusal from one that was under way when the first came. */
	#closures = 0;
	#strikes = 0;
	#inside = 0;
	/** Number of requests that were sent: the other callers inside wait for a token or a lane. */
	#underWay = 0;
	/** Number of requests may still be begun. */
	#left = Number.POSITIVE_INFINITY;
	#changed = Promise.withResolvers<void>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Current state of the limit. */
	get state(): RateState {
		const closedMs = this.#closedMs();
		const stopped = closedMs > 0 && this.#closure?.stopped === true;
		const until = closedMs > 0 ? this.#clock.now() + closedMs : null;
		const gauge = this.#current();
		const lowUntil = isLow(gauge) ? this.#windowEnd() : null;
		const [closedUntil, stoppedUntil] = stopped ? [null, until] : [until, null];
		return { gauge, low: lowUntil !== null, lowUntil, closedUntil, stopped, stoppedUntil };
	}

	/** Last report of the window that is not over yet. */
	#current(): RateGauge | null {
		return this.#windowEnd() > this.#clock.now() ? this.#gauge : null;
	}

	#windowEnd(): number {
		return this.#gauge?.resetAt ?? this.#reportedAt + WINDOW_MS;
	}

	/**
	 * True if the request of a pass that was given a moment ago may still be made: others may have learned meanwhile that
	 * the limit is used up, or be under way with what is left of it. If so, {@link end} tells that its reply is there.
	 */
	begin(pass: Pass): boolean {
		const isClosed = pass.closures !== this.#closures && this.#closedMs() > 0;
		if (isClosed || this.#underWay >= this.#capacity()) return false;
		this.#underWay += 1;
		this.#left -= 1;
		return true;
	}

	/** A request that was begun is over. */
	end(): void {
		this.#underWay -= 1;
	}

	/**
	 * Waits until a call may be made. Rejects with ClientError `rate-limited` when that takes longer than the caller is
	 * willing to wait (`retryAfterMs` says how long; absent when nobody knows), or with the signal's reason.
	 */
	async enter({ names, signal, maxWaitMs, onWait }: EnterOptions): Promise<Pass> {
		for (;;) {
			signal?.throwIfAborted();
			const ms = this.#closedMs();
			if (ms > 0) {
				if (this.#closure?.stopped === true) throw stoppedError();
				if (ms > maxWaitMs) throw closedError(ms);
				const onWaitEnd = onWait(ms);
				await this.#pause(ms, signal).finally(onWaitEnd);
			} else if (this.#inside >= this.#capacity()) {
				await this.#pause(WINDOW_MS, signal);
			} else {
				this.#inside += 1;
				return { closures: this.#closures, names };
			}
		}
	}

	/** Gives a pass back. */
	leave(): void {
		this.#inside -= 1;
		this.#wake();
	}

	/** Takes in what a reply reports that is no refusal for reasons of the limit. */
	note(headers: Readonly<Record<string, string>>, pass: Pass): void {
		const gauge = this.#read(headers, pass);
		if (pass.closures !== this.#closures) return;
		this.#strikes = 0;
		// The next call would be refused: it waits as if it had been.
		if (gauge?.remaining === 0) this.refuse(headers, pass);
	}

	/** Takes in a reply that tells that the limit is used up, and closes. */
	refuse(headers: Readonly<Record<string, string>>, pass: Pass): void {
		this.#read(headers, pass);
		const { ms, guessed } = limitWaitMs(headers, {
			names: pass.names,
			now: this.#clock.now(),
			strikes: this.#strikes,
		});
		const isNews = pass.closures === this.#closures;
		// Calls that were under way together are refused together: that is one refusal, not many.
		if (!isNews && (guessed || (ms ?? 0) <= this.#closedMs())) return;
		if (guessed) this.#strikes += 1;
		this.#close(ms ?? WINDOW_MS, { stopped: ms === null });
	}

	/** Lets the next call through at once: a person has asked to try again. */
	reopen(): void {
		this.#closure = null;
		this.#strikes = 0;
		this.#wake();
	}

	#read(headers: Readonly<Record<string, string>>, { names }: Pass): RateGauge | null {
		const gauge = readGauge(headers, { names, now: this.#clock.now() });
		if (gauge !== null) {
			this.#gauge = gauge;
			this.#reportedAt = this.#clock.now();
		}
		// While others are under way it only falls: their replies may have left the service before this one, or after.
		const others = this.#underWay - 1;
		if (others <= 0) this.#left = this.#current()?.remaining ?? Number.POSITIVE_INFINITY;
		else if (gauge !== null) this.#left = Math.min(this.#left, gauge.remaining - others);
		return gauge;
	}

	#close(ms: number, { stopped }: { stopped: boolean }): void {
		this.#closures += 1;
		this.#closure = {
			untilMonotonic: this.#clock.monotonic() + ms,
			untilWall: this.#clock.now() + ms,
			stopped,
		};
		this.#wake();
	}

	/** Milliseconds until it opens; 0 when it is open. */
	#closedMs(): number {
		if (this.#closure === null) return 0;
		const { untilMonotonic, untilWall } = this.#closure;
		return Math.max(0, Math.min(untilMonotonic - this.#clock.monotonic(), untilWall - this.#clock.now()));
	}

	/** Number of may be inside at once, those under way among them. */
	#capacity(): number {
		if (this.#strikes > 0) return 1;
		return Math.max(1, this.#left + this.#underWay);
	}

	#wake(): void {
		this.#changed.resolve();
		this.#changed = Promise.withResolvers();
	}

	async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
		const over = new AbortController();
		const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
		try {
			await Promise.race([sleep(this.#clock, ms, either), this.#changed.promise]);
		} finally {
			over.abort();
		}
	}
}

function closedError(ms: number): ClientError {
	const sentence = `The limit of calls is used up; the next one can be made in ${inWords(ms)}.`;
	return new ClientError("codehost", "rate-limited", sentence, { retryAfterMs: Math.ceil(ms) });
}

function stoppedError(): ClientError {
	const sentence = "The limit of calls is used up, and the service does not say until when.";
	return new ClientError("codehost", "rate-limited", sentence);
}

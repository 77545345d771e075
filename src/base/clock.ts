import { type Disposable, toDisposable } from "#base/disposables.ts";

/** Time and randomness, passed in so that a test can hold both still. Times are milliseconds. */
export interface Clock {
	/** Wall time since the epoch; may jump. */
	now(): number;
	/** Monotonic time for measuring durations. */
	monotonic(): number;
	/** A number in [0, 1). */
	random(): number;
	/** Calls back once after `ms`; dispose to cancel. */
	after(ms: number, callback: () => void): Disposable;
}

/** The longest wait of a platform timer; beyond it `setTimeout` calls back at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The last time that a `Date` holds; for a later one it throws where it is to be written. */
const LAST_TIME_MS = 8.64e15;

/** A time that a service named, in milliseconds since the epoch; null for one that no `Date` holds, which says nothing. */
export function usableTime(ms: number): number | null {
	return Math.abs(ms) <= LAST_TIME_MS ? ms : null;
}

/** Random base-36 text of a given length. Eight characters or more do not collide in practice. */
export function randomWord(clock: Pick<Clock, "random">, length: number): string {
	return Math.floor(clock.random() * 36 ** length)
		.toString(36)
		.padStart(length, "0");
}

/** The machine's own clock. */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	random: () => Math.random(),
	after(ms, callback) {
		let timer: ReturnType<typeof setTimeout>;
		const wait = (left: number) => {
			timer =
				left <= LONGEST_TIMER_MS
					? setTimeout(callback, Math.max(0, left))
					: setTimeout(() => wait(left - LONGEST_TIMER_MS), LONGEST_TIMER_MS);
		};
		wait(ms);
		return toDisposable(() => clearTimeout(timer));
	},
};

/** Waits `ms`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) {
			reject(signal.reason);
			return;
		}
		const onAbort = () => {
			timer.dispose();
			reject(signal?.reason);
		};
		const timer = clock.after(ms, () => {
			signal?.removeEventListener("abort", onAbort);
			resolve();
		});
		signal?.addEventListener("abort", onAbort, { once: true });
	});
}

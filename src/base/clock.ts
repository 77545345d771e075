import { type Disposable, toDisposable } from "#base/disposables.ts";

/** Time and randomness, injected so that tests control both. Times in milliseconds. */
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

/** Longest wait of a platform timer; `setTimeout` calls back at once for a longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const LAST_TIME_MS = 8.64e15;

/** Time that a service named, in epoch milliseconds; null if no `Date` can hold it. */
export function usableTime(ms: number): number | null {
	return Math.abs(ms) <= LAST_TIME_MS ? ms : null;
}

/** Random base-36 text; 8 characters or more do not collide in practice. */
export function randomWord(clock: Pick<Clock, "random">, length: number): string {
	return Math.floor(clock.random() * 36 ** length)
		.toString(36)
		.padStart(length, "0");
}

/** The machine's clock. */
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

/** Waits `ms`; rejects with the signal's reason when it aborts. */
export async function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const timer = clock.after(ms, resolve);
	const onAbort = () => reject(signal?.reason);
	signal?.addEventListener("abort", onAbort, { once: true });
	await promise.finally(() => {
		timer.dispose();
		signal?.removeEventListener("abort", onAbort);
	});
}

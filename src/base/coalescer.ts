import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

/**
 * Passes on what is said, at once when it was not said for a while, and what is said again meanwhile once at the end of
 * that while. Each value by itself.
 */
export class Coalescer<T> implements Disposable {
	readonly #clock: Clock;
	/** Milliseconds in which a value is passed on at most once. */
	readonly #intervalMs: number;
	readonly #tell: (value: T) => void;
	/** The values that were passed on within the interval. */
	readonly #recent = new Map<T, { readonly timer: Disposable; isAgain: boolean }>();
	#disposed = false;

	constructor(clock: Clock, intervalMs: number, tell: (value: T) => void) {
		this.#clock = clock;
		this.#intervalMs = intervalMs;
		this.#tell = tell;
	}

	/** Passes a value on, now or at the end of the interval. */
	say(value: T): void {
		const recent = this.#recent.get(value);
		if (recent !== undefined) recent.isAgain = true;
		else if (!this.#disposed) this.#pass(value);
	}

	dispose(): void {
		this.#disposed = true;
		for (const { timer } of this.#recent.values()) timer.dispose();
		this.#recent.clear();
	}

	#pass(value: T): void {
		const timer = this.#clock.after(this.#intervalMs, () => {
			const isAgain = this.#recent.get(value)?.isAgain === true;
			this.#recent.delete(value);
			if (isAgain) this.#pass(value);
		});
		this.#recent.set(value, { timer, isAgain: false });
		this.#tell(value);
	}
}

import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

/** A clock that moves only when told to. Timers fire in the order of their time. */
export class FakeClock implements Clock {
	#time = 0;
	#slept = 0;
	#timers: { readonly at: number; readonly callback: () => void }[] = [];
	/** Value of `random`; a test that needs different ids changes it. */
	randomValues: number[] = [];

	now(): number {
		return 1_700_000_000_000 + this.#time + this.#slept;
	}

	monotonic(): number {
		return this.#time;
	}

	random(): number {
		return this.randomValues.shift() ?? 0.5;
	}

	after(ms: number, callback: () => void): Disposable {
		const timer = { at: this.#time + ms, callback };
		this.#timers.push(timer);
		return {
			dispose: () => {
				this.#timers = this.#timers.filter((each) => each !== timer);
			},
		};
	}

	/** Number of pending timers. */
	get waiting(): number {
		return this.#timers.length;
	}

	/** The machine sleeps so long: only the wall clock goes on, and no timer fires. Milliseconds. */
	sleep(ms: number): void {
		this.#slept += ms;
	}

	/** Moves on by `ms`, firing what falls due on the way. */
	advance(ms: number): void {
		const end = this.#time + ms;
		for (;;) {
			const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
			if (next === undefined) break;
			this.#timers = this.#timers.filter((each) => each !== next);
			this.#time = Math.max(this.#time, next.at);
			next.callback();
		}
		this.#time = end;
	}
}

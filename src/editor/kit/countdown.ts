import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

const TICK_MS = 1_000;
/** Tick while minutes are shown. */
const LONG_TICK_MS = 30_000;
/** With more to go than this, no second is shown before the next long tick. Milliseconds. */
const SECONDS_BELOW_MS = 120_000;

/** Redraws rows that say when a service can be asked again, until that time has come. */
export class Countdown implements Disposable {
	readonly #clock: Clock;
	readonly #ends: () => readonly (number | null)[];
	readonly #draw: () => void;
	#timer: Disposable | undefined;

	/** `ends` gives the times that are shown, in epoch milliseconds. */
	constructor(clock: Clock, ends: () => readonly (number | null)[], draw: () => void) {
		this.#clock = clock;
		this.#ends = ends;
		this.#draw = draw;
	}

	/** Plans the next tick anew: the times that are shown may have changed. */
	plan(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		const now = this.#clock.now();
		const left = this.#ends().flatMap((end) => (end !== null && end > now ? [end - now] : []));
		if (left.length === 0) return;
		this.#timer = this.#clock.after(Math.min(...left) > SECONDS_BELOW_MS ? LONG_TICK_MS : TICK_MS, () => {
			this.#draw();
			this.plan();
		});
	}

	dispose(): void {
		this.#timer?.dispose();
	}
}

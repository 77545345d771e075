import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

/** What is counted down, and how it is drawn. `T` is what tells of a time to come. */
export interface CountdownParts<T> {
	readonly clock: Clock;
	/** All that tells of a time at which a service can be asked again, and that time, milliseconds since the epoch. */
	readonly waits: () => readonly { readonly what: T; readonly until: number }[];
	/** Draws it again. */
	readonly draw: (what: T) => void;
}

const TICK_MS = 1_000;
/** While minutes are shown. */
const LONG_TICK_MS = 30_000;
/** With more to go than this, no second is shown before the next long tick. Milliseconds. */
const SECONDS_BELOW_MS = 120_000;

/** Keeps true what rows say of the time at which a service can be asked again, until that has come. */
export class Countdown<T> implements Disposable {
	readonly #parts: CountdownParts<T>;
	#timer: Disposable | undefined;

	constructor(parts: CountdownParts<T>) {
		this.#parts = parts;
	}

	/** Looks what there is to wait for; called whenever that may have become something else. */
	plan(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		const { clock, waits, draw } = this.#parts;
		const counted = waits().filter(({ until }) => until > clock.now());
		if (counted.length === 0) return;
		const first = Math.min(...counted.map(({ until }) => until)) - clock.now();
		this.#timer = clock.after(first > SECONDS_BELOW_MS ? LONG_TICK_MS : TICK_MS, () => {
			for (const { what } of counted) draw(what);
			this.plan();
		});
	}

	dispose(): void {
		this.#timer?.dispose();
	}
}

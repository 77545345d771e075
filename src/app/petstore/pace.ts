import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";

/** What is done at a pace. */
export interface PaceParts {
	readonly clock: Clock;
	/**
	 * So long nothing more may have happened before it is done: of many changes in a row only the last counts. Milliseconds.
	 */
	readonly quietMs: number;
	/** Does it; `isStale` tells whether there is a reason to do it once more by now. Must not reject. */
	readonly run: (isStale: () => boolean) => Promise<void>;
}

/** So long it rests where changes go on with gaps between them, as those of a slow store do. Milliseconds. */
const REST_MS = 1_000;

/** Asks a service something again soon after it was changed, never twice at the same time, and not without a rest. */
export class Pace implements Disposable {
	readonly #parts: PaceParts;
	#timer: Disposable | undefined;
	#running: symbol | undefined;
	#isDue = false;
	#endedAt = Number.NEGATIVE_INFINITY;

	constructor(parts: PaceParts) {
		this.#parts = parts;
	}

	/** There is a reason to do it. */
	again(): void {
		if (this.#running !== undefined) {
			this.#isDue = true;
			return;
		}
		this.#timer?.dispose();
		const { clock, quietMs } = this.#parts;
		const restMs = this.#endedAt + REST_MS - clock.monotonic();
		this.#timer = clock.after(Math.max(quietMs, restMs), () => void this.#run());
	}

	/** There is no reason to do it any more, and what is under way is stale. */
	dispose(): void {
		this.#timer?.dispose();
		this.#running = undefined;
		this.#isDue = false;
	}

	async #run(): Promise<void> {
		const own = Symbol();
		this.#running = own;
		const isOver = () => this.#running !== own;
		await this.#parts.run(() => isOver() || this.#isDue);
		if (isOver()) return;
		this.#running = undefined;
		this.#endedAt = this.#parts.clock.monotonic();
		if (!this.#isDue) return;
		this.#isDue = false;
		this.again();
	}
}

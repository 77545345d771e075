import type { Clock } from "#base/clock.ts";
import { RateGate } from "./gate.ts";
import type { RateLimitHeaders } from "./model.ts";

/** Requests at one host at once: more than a few and a host takes them for an attack. */
const MOST_AT_ONCE = 4;

/** Lets a few requests run at once and the others wait their turn, first come, first served. */
export class Lanes {
	readonly #waiting: (() => void)[] = [];
	readonly #most: number;
	#busy = 0;

	constructor(most: number) {
		this.#most = most;
	}

	/** Waits for a free lane; the function it gives frees it. Rejects with the signal's reason. */
	async enter(signal?: AbortSignal): Promise<() => void> {
		signal?.throwIfAborted();
		if (this.#busy >= this.#most) await this.#turn(signal);
		else this.#busy += 1;
		let held = true;
		return () => {
			if (held) this.#free();
			held = false;
		};
	}

	/** Resolves when a lane has been handed over by the one who leaves it. */
	#turn(signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const onTurn = () => {
				signal?.removeEventListener("abort", onAbort);
				resolve();
			};
			const onAbort = () => {
				this.#waiting.splice(this.#waiting.indexOf(onTurn), 1);
				reject(signal?.reason);
			};
			this.#waiting.push(onTurn);
			signal?.addEventListener("abort", onAbort, { once: true });
		});
	}

	#free(): void {
		const next = this.#waiting.shift();
		if (next === undefined) this.#busy -= 1;
		else next();
	}
}

/**
 * What clients of the same hosts have to agree on: how much is asked at once, and which limits are used up. All clients
 * of a process share one.
 */
export class Traffic {
	readonly #clock: Clock;
	readonly #lanes = new Map<string, Lanes>();
	readonly #gates = new Map<string, RateGate>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The lanes to the host of an origin. */
	lanes(origin: string): Lanes {
		return take(this.#lanes, origin, () => new Lanes(MOST_AT_ONCE));
	}

	/** The gate before the calls of one bucket, such as those of one user. */
	gate(origin: string, { bucket, names }: { bucket: string; names: RateLimitHeaders }): RateGate {
		return take(this.#gates, `${origin} ${bucket}`, () => new RateGate(this.#clock, names));
	}
}

function take<T>(map: Map<string, T>, key: string, create: () => T): T {
	let value = map.get(key);
	if (value === undefined) {
		value = create();
		map.set(key, value);
	}
	return value;
}

import type { Clock } from "#base/clock.ts";
import { RateGate } from "./gate.ts";
import type { RateLimitHeaders } from "./model.ts";

/** Requests at one host at once: more than a few and a host takes them for an attack. */
const MOST_AT_ONCE = 4;
/** The same while they ask only whether something has changed: that costs the host next to nothing. */
const MOST_CONDITIONAL_AT_ONCE = 6;

/** How many requests may be in the lanes for one more to be let in. */
export interface LaneLimits {
	readonly most: number;
	readonly mostConditional: number;
}

/** Lets a few requests run at once and the others wait their turn: first come, first served, whatever they are. */
export class Lanes {
	readonly #limits: LaneLimits;
	readonly #waiting: { readonly most: number; readonly onTurn: () => void }[] = [];
	#busy = 0;

	constructor(limits: LaneLimits) {
		this.#limits = limits;
	}

	/** Waits for a free lane; the function it gives frees it. Rejects with the signal's reason. */
	async enter({
		conditional = false,
		signal,
	}: {
		conditional?: boolean;
		signal?: AbortSignal | undefined;
	} = {}): Promise<() => void> {
		signal?.throwIfAborted();
		const most = conditional ? this.#limits.mostConditional : this.#limits.most;
		if (this.#waiting.length > 0 || this.#busy >= most) await this.#turn(most, signal);
		else this.#busy += 1;
		let held = true;
		return () => {
			if (!held) return;
			held = false;
			this.#busy -= 1;
			this.#admit();
		};
	}

	/** Resolves when a lane is this caller's. */
	#turn(most: number, signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const onTurn = () => {
				signal?.removeEventListener("abort", onAbort);
				resolve();
			};
			const waiter = { most, onTurn };
			const onAbort = () => {
				this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
				this.#admit();
				reject(signal?.reason);
			};
			this.#waiting.push(waiter);
			signal?.addEventListener("abort", onAbort, { once: true });
		});
	}

	#admit(): void {
		for (let next = this.#waiting[0]; next !== undefined && this.#busy < next.most; next = this.#waiting[0]) {
			this.#waiting.shift();
			this.#busy += 1;
			next.onTurn();
		}
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
		return take(
			this.#lanes,
			origin,
			() => new Lanes({ most: MOST_AT_ONCE, mostConditional: MOST_CONDITIONAL_AT_ONCE }),
		);
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

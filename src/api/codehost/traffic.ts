import type { Clock } from "#base/clock.ts";
import { type Lanes, OriginLanes } from "../http/lanes.ts";
import { RateGate } from "./gate.ts";

/** Requests at one host at once: more than a few and a host takes them for an attack. */
const MOST_AT_ONCE = 4;
/** The same while they ask only whether something has changed: that costs the host next to nothing. */
const MOST_CONDITIONAL_AT_ONCE = 6;

/**
 * What clients of the same hosts have to agree on: how much is asked at once, and which limits are used up. All clients
 * of a process share one.
 */
export class Traffic {
	readonly #clock: Clock;
	readonly #lanes = new OriginLanes({ most: MOST_AT_ONCE, mostConditional: MOST_CONDITIONAL_AT_ONCE });
	readonly #gates = new Map<string, RateGate>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The lanes to the host of an origin. */
	lanes(origin: string): Lanes {
		return this.#lanes.of(origin);
	}

	/** The gate before the calls of one bucket, such as those of one user. */
	gate(origin: string, bucket: string): RateGate {
		const key = `${origin} ${bucket}`;
		const known = this.#gates.get(key);
		if (known !== undefined) return known;
		const gate = new RateGate(this.#clock);
		this.#gates.set(key, gate);
		return gate;
	}
}

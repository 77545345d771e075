import type { Clock } from "#base/clock.ts";
import { type Lanes, OriginLanes } from "../http/lanes.ts";
import { ALLOWED_DRIFT_MS, SKEW_THAT_MATTERS_MS } from "./app-jwt.ts";
import { RateGate } from "./gate.ts";
import type { ClockSkew, TokenSource } from "./model.ts";

/** Requests at one host at once: more than a few and a host takes them for an attack. */
const MOST_AT_ONCE = 4;
/** Requests at one host at once while loaded pages are refreshed: conditional requests cost the host next to nothing. */
const MOST_REFRESHING_AT_ONCE = 6;

/**
 * State that clients of the same hosts share: concurrent requests, rate limits that are used up, and what time
 * it is there. All clients of a process share one.
 */
export class Traffic {
	readonly #clock: Clock;
	readonly #lanes = new OriginLanes({ most: MOST_AT_ONCE, mostConditional: MOST_REFRESHING_AT_ONCE });
	readonly #skews = new Map<string, ClockSkew>();
	readonly #gates = new Map<string, RateGate>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Clock skew of an origin, as far as it mattered: found once, shared by all. */
	skew(origin: string): ClockSkew {
		const known = this.#skews.get(origin);
		if (known !== undefined) return known;
		const skew = { ms: 0 };
		this.#skews.set(origin, skew);
		return skew;
	}

	/** Takes in what time an origin tells: a difference that is known ends as soon as a clock has been put right. */
	hearTime(origin: string, serverTime: number | null): void {
		const skew = this.#skews.get(origin);
		if (skew === undefined || serverTime === null) return;
		const measured = serverTime - this.#clock.now();
		if (Math.abs(measured) <= SKEW_THAT_MATTERS_MS) skew.ms = 0;
		// A service that has refused a token for less is still followed, by a difference that is no trouble any more.
		else if (Math.abs(measured) <= ALLOWED_DRIFT_MS && Math.abs(skew.ms) > ALLOWED_DRIFT_MS) skew.ms = measured;
	}

	/** The lanes to the host of an origin. */
	lanes(origin: string): Lanes {
		return this.#lanes.of(origin);
	}

	/** The gate before the calls with a credential and all others of its bucket, such as those of one user. */
	gate({ origin, bucket }: Pick<TokenSource, "origin" | "bucket">): RateGate {
		const key = `${origin} ${bucket}`;
		const known = this.#gates.get(key);
		if (known !== undefined) return known;
		const gate = new RateGate(this.#clock);
		this.#gates.set(key, gate);
		return gate;
	}
}

import type { Clock } from "#base/clock.ts";
import { OriginLimiters } from "../http/concurrency-limiter.ts";
import { ALLOWED_DRIFT_MS, SKEW_THAT_MATTERS_MS } from "./app-jwt.ts";
import type { ClockSkew, TokenSource } from "./credential.ts";
import { RateGate } from "./gate.ts";

/** Requests at one host at once, as many as a browser makes: hosts take many more for an attack. */
const MOST_AT_ONCE = 6;

/** State that clients of the same hosts share: concurrent requests, rate limits and clock skew. One for a process. */
export class RateLimits {
	readonly #clock: Clock;
	readonly limiters = new OriginLimiters(MOST_AT_ONCE);
	readonly #skews = new Map<string, ClockSkew>();
	readonly #gates = new Map<string, RateGate>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Clock skew of an origin, as far as it mattered. */
	skew(origin: string): ClockSkew {
		const skew = this.#skews.get(origin) ?? { ms: 0 };
		this.#skews.set(origin, skew);
		return skew;
	}

	/** Records the time of an origin: a skew ends as soon as a clock has been put right. */
	hearTime(origin: string, serverTime: number | null): void {
		const skew = this.#skews.get(origin);
		if (skew === undefined || serverTime === null) return;
		const measured = serverTime - this.#clock.now();
		if (Math.abs(measured) <= SKEW_THAT_MATTERS_MS) skew.ms = 0;
		// A service that has refused a token for less is still followed, by a skew that is no trouble any more.
		else if (Math.abs(measured) <= ALLOWED_DRIFT_MS && Math.abs(skew.ms) > ALLOWED_DRIFT_MS) skew.ms = measured;
	}

	/** Gate before the calls that count against one limit, such as those of one user. */
	gate({ origin, bucket }: Pick<TokenSource, "origin" | "bucket">): RateGate {
		const key = `${origin} ${bucket}`;
		const gate = this.#gates.get(key) ?? new RateGate(this.#clock);
		this.#gates.set(key, gate);
		return gate;
	}
}

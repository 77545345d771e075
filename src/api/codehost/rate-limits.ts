import type { Clock } from "#base/clock.ts";
import { OriginLimiters } from "../http/concurrency-limiter.ts";
import type { TokenSource } from "./credential.ts";
import { RateGate } from "./gate.ts";

/** Concurrent requests at one host, as of a browser: hosts take more for an attack. */
const MOST_AT_ONCE = 6;

/** Concurrency and rate limits of a process, shared by all clients. */
export class RateLimits {
	readonly #clock: Clock;
	readonly limiters = new OriginLimiters(MOST_AT_ONCE);
	readonly #gates = new Map<string, RateGate>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Gate before the calls that count against one limit, such as those of one user. */
	gate({ origin, bucket }: Pick<TokenSource, "origin" | "bucket">): RateGate {
		const key = `${origin} ${bucket}`;
		const gate = this.#gates.get(key) ?? new RateGate(this.#clock);
		this.#gates.set(key, gate);
		return gate;
	}
}

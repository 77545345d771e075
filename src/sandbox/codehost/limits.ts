/** Allowance of a bucket. */
export interface Allowance {
	/** Requests per window. */
	readonly limit: number;
	readonly windowSeconds: number;
}

/** Standing of a bucket. */
export interface Standing {
	readonly limit: number;
	/** Requests left in the window, this one taken off. */
	readonly remaining: number;
	/** When the window ends, in epoch milliseconds of the machine's clock. */
	readonly resetAt: number;
}

/** Outcome of a request at the gate. */
export interface Admission extends Standing {
	readonly admitted: boolean;
	/** Gives the request back, as a 304 costs nothing. */
	refund(): Standing;
}

interface Window {
	readonly endsAt: number;
	used: number;
}

/**
 * Counts requests per bucket: one for each user across all of that user's tokens, one for each installation (contract
 * section 8). A window begins with the first request after the last one ended.
 */
export class RateLimits {
	readonly #now: () => number;
	readonly #windows = new Map<string, Window>();

	/** `now` is the machine's time in epoch milliseconds. */
	constructor(now: () => number) {
		this.#now = now;
	}

	/** Takes one request off the bucket, unless nothing is left: then none is taken. */
	take(bucket: string, allowance: Allowance): Admission {
		const window = this.#window(bucket, allowance);
		const admitted = window.used < allowance.limit;
		if (admitted) window.used++;
		return {
			...standing(window, allowance),
			admitted,
			refund() {
				if (admitted) window.used--;
				return standing(window, allowance);
			},
		};
	}

	#window(bucket: string, { windowSeconds }: Allowance): Window {
		const now = this.#now();
		const known = this.#windows.get(bucket);
		if (known !== undefined && now < known.endsAt) return known;
		const fresh = { endsAt: now + windowSeconds * 1000, used: 0 };
		this.#windows.set(bucket, fresh);
		return fresh;
	}
}

function standing({ used, endsAt }: Window, { limit }: Allowance): Standing {
	return { limit, remaining: Math.max(0, limit - used), resetAt: endsAt };
}

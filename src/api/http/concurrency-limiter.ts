/** Lets a few requests run at once; the others wait their turn, first come, first served. */
export class ConcurrencyLimiter {
	readonly #most: number;
	readonly #waiting: (() => void)[] = [];
	#busy = 0;

	constructor(most: number) {
		this.#most = most;
	}

	/** Waits for a free slot; the function it resolves to frees it. Rejects with the signal's reason. */
	async enter(signal?: AbortSignal): Promise<() => void> {
		signal?.throwIfAborted();
		if (this.#busy >= this.#most) await this.#turn(signal);
		else this.#busy += 1;
		let held = true;
		return () => {
			if (!held) return;
			held = false;
			const next = this.#waiting.shift();
			// The slot goes to the next one as it is.
			if (next === undefined) this.#busy -= 1;
			else next();
		};
	}

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
}

/** Limiter of each origin, shared by all clients of a process. */
export class OriginLimiters {
	readonly #most: number;
	readonly #limiters = new Map<string, ConcurrencyLimiter>();

	/** `most` requests run at once to one origin. */
	constructor(most: number) {
		this.#most = most;
	}

	/** Limiter of one origin, such as `https://host:8443`. */
	of(origin: string): ConcurrencyLimiter {
		const limiter = this.#limiters.get(origin) ?? new ConcurrencyLimiter(this.#most);
		this.#limiters.set(origin, limiter);
		return limiter;
	}
}

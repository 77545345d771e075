/** Slots that read-ahead leaves free, so that silence there holds up nothing that somebody waits for. */
const KEPT_FREE = 2;

/**
 * Lets a few requests run at once; the others wait their turn, first come, first served. What is only read ahead comes after
 * all that somebody waits for.
 */
export class ConcurrencyLimiter {
	readonly #most: number;
	readonly #waiting = new Set<{ readonly wanted: AbortSignal | undefined; admit(): void }>();
	#busy = 0;

	constructor(most: number) {
		this.#most = most;
	}

	/**
	 * Waits for a free slot; the function it resolves to frees it, and is called once. Rejects with the signal's reason. A request with a
	 * `wanted` signal is read ahead until that is aborted, once somebody waits for its answer.
	 */
	async enter(signal?: AbortSignal, wanted?: AbortSignal): Promise<() => void> {
		signal?.throwIfAborted();
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const waiting = { wanted, admit: resolve };
		const onAbort = () => {
			this.#waiting.delete(waiting);
			reject(signal?.reason);
		};
		const onWanted = () => this.#admit();
		signal?.addEventListener("abort", onAbort, { once: true });
		wanted?.addEventListener("abort", onWanted, { once: true });
		this.#waiting.add(waiting);
		this.#admit();
		await promise.finally(() => {
			signal?.removeEventListener("abort", onAbort);
			wanted?.removeEventListener("abort", onWanted);
		});
		return () => {
			this.#busy -= 1;
			this.#admit();
		};
	}

	/** Gives free slots to those whose turn it is. */
	#admit(): void {
		while (this.#busy < this.#most) {
			const all = [...this.#waiting];
			const [ahead] = this.#busy < this.#most - KEPT_FREE ? all : [];
			const next = all.find(({ wanted }) => wanted?.aborted !== false) ?? ahead;
			if (next === undefined) return;
			this.#waiting.delete(next);
			this.#busy += 1;
			next.admit();
		}
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

/** Slots that read-ahead never takes, so that a silent read-ahead cannot block other requests. */
const KEPT_FREE = 2;

/** Limits concurrent requests, first come, first served. Read-ahead comes after requests that somebody waits for. */
export class ConcurrencyLimiter {
	readonly #most: number;
	readonly #waiting = new Set<{ readonly wanted: AbortSignal | undefined; admit(): void }>();
	#busy = 0;

	constructor(most: number) {
		this.#most = most;
	}

	/** Waits for a slot, which the result frees. A request is read-ahead until `wanted`, if given, is aborted. */
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

/** Concurrency limiters by origin, shared by all clients of the process. */
export class OriginLimiters {
	readonly #most: number;
	readonly #limiters = new Map<string, ConcurrencyLimiter>();

	constructor(most: number) {
		this.#most = most;
	}

	/** Limiter of an origin, such as `https://host:8443`. */
	of(origin: string): ConcurrencyLimiter {
		const limiter = this.#limiters.get(origin) ?? new ConcurrencyLimiter(this.#most);
		this.#limiters.set(origin, limiter);
		return limiter;
	}
}

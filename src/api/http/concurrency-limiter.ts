/** Slots that read-ahead leaves free, so that silence there holds up nothing that somebody waits for. */
const KEPT_FREE = 2;

/** A request in the queue. */
interface Waiting {
	/** Aborted once somebody waits for the answer; absent where somebody does from the beginning. */
	readonly wanted: AbortSignal | undefined;
	admit(): void;
}

/**
 * Lets a few requests run at once; the others wait their turn, first come, first served. What is only read ahead comes after
 * all that somebody waits for.
 */
export class ConcurrencyLimiter {
	readonly #most: number;
	readonly #waiting: Waiting[] = [];
	#busy = 0;

	constructor(most: number) {
		this.#most = most;
	}

	/**
	 * Waits for a free slot; the function it resolves to frees it. Rejects with the signal's reason. A request with a
	 * `wanted` signal is read ahead until that is aborted.
	 */
	async enter(signal?: AbortSignal, wanted?: AbortSignal): Promise<() => void> {
		signal?.throwIfAborted();
		const onWanted = () => this.#admit();
		wanted?.addEventListener("abort", onWanted, { once: true });
		await this.#turn(signal, wanted).finally(() => wanted?.removeEventListener("abort", onWanted));
		let held = true;
		return () => {
			if (!held) return;
			held = false;
			this.#busy -= 1;
			this.#admit();
		};
	}

	/** Gives free slots to those whose turn it is. */
	#admit(): void {
		while (this.#busy < this.#most) {
			const first = this.#waiting.findIndex(({ wanted }) => wanted?.aborted !== false);
			const isIdle = this.#busy < this.#most - KEPT_FREE;
			const [next] = first === -1 && !isIdle ? [] : this.#waiting.splice(Math.max(0, first), 1);
			if (next === undefined) return;
			this.#busy += 1;
			next.admit();
		}
	}

	#turn(signal: AbortSignal | undefined, wanted: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const waiting = {
				wanted,
				admit() {
					signal?.removeEventListener("abort", onAbort);
					resolve();
				},
			};
			const onAbort = () => {
				this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
				reject(signal?.reason);
			};
			signal?.addEventListener("abort", onAbort, { once: true });
			this.#waiting.push(waiting);
			this.#admit();
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

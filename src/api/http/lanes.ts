/** Numbers of requests under way below which one more is let in. */
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

/** The lanes to each origin, which all clients of a process share. */
export class OriginLanes {
	readonly #limits: LaneLimits;
	readonly #lanes = new Map<string, Lanes>();

	constructor(limits: LaneLimits) {
		this.#limits = limits;
	}

	/** The lanes to one origin, such as `https://host:8443`. */
	of(origin: string): Lanes {
		const known = this.#lanes.get(origin);
		if (known !== undefined) return known;
		const lanes = new Lanes(this.#limits);
		this.#lanes.set(origin, lanes);
		return lanes;
	}
}

import { unlessAborted } from "#api/http/exchange.ts";

/** Those who wait for one piece of work that they share. */
export class Waiters {
	readonly #abort: () => void;
	#count = 0;

	/** `abort` is called when the last has left, and nobody hears of the work any more. */
	constructor(abort: () => void) {
		this.#abort = abort;
	}

	/** Waits as one of them. Who leaves by `signal` is rejected with ClientError `aborted`; without one nobody leaves. */
	async wait<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
		this.#count += 1;
		if (signal === undefined) return work;
		try {
			return await unlessAborted(work, signal, "petstore");
		} finally {
			this.#count -= 1;
			if (this.#count === 0 && signal.aborted) this.#abort();
		}
	}
}

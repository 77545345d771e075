import { type Disposable, toDisposable } from "#base/disposables.ts";

/** Subscribes to something that happens; dispose the result to stop hearing it. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * Source of events. A listener that throws does not affect the others: see {@link ignoreErrors}. A disposed one is not
 * called again, even for a value that is being delivered.
 */
export class Emitter<T> implements Disposable {
	readonly #listeners = new Set<(value: T) => void>();
	#disposed = false;

	readonly event: Event<T> = (listener) => {
		const own = (value: T) => listener(value);
		if (!this.#disposed) this.#listeners.add(own);
		return toDisposable(() => this.#listeners.delete(own));
	};

	fire(value: T): void {
		for (const listener of [...this.#listeners]) {
			if (this.#listeners.has(listener)) ignoreErrors(() => listener(value));
		}
	}

	dispose(): void {
		this.#disposed = true;
		this.#listeners.clear();
	}
}

/** Calls a listener; its errors surface in the process instead of breaking off what it hears of. */
export function ignoreErrors(tell: () => void): void {
	try {
		tell();
	} catch (error) {
		queueMicrotask(() => {
			throw error;
		});
	}
}

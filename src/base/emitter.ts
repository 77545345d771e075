import { type Disposable, toDisposable } from "#base/disposables.ts";

/** Subscribes to an event; dispose the result to unsubscribe. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Event source. A listener that throws does not affect the others, and a disposed one is not called again. */
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

/** Calls a listener; its error surfaces as an uncaught one instead of breaking the caller. */
export function ignoreErrors(tell: () => void): void {
	try {
		tell();
	} catch (error) {
		queueMicrotask(() => {
			throw error;
		});
	}
}

import { type Disposable, toDisposable } from "#base/disposables.ts";

/** Subscribes to something that happens; dispose the result to stop hearing it. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * A source of events. A listener that throws does not keep the others from hearing; its error goes to `onError`. One
 * that was disposed hears nothing more, also when that happened while a value was on its way.
 */
export class Emitter<T> implements Disposable {
	readonly #listeners = new Set<(value: T) => void>();
	readonly #onError: (error: unknown) => void;
	#disposed = false;

	constructor(onError: (error: unknown) => void = reportLater) {
		this.#onError = onError;
	}

	readonly event: Event<T> = (listener) => {
		const own = (value: T) => listener(value);
		if (!this.#disposed) this.#listeners.add(own);
		return toDisposable(() => this.#listeners.delete(own));
	};

	fire(value: T): void {
		for (const listener of [...this.#listeners]) {
			if (!this.#listeners.has(listener)) continue;
			try {
				listener(value);
			} catch (error) {
				this.#onError(error);
			}
		}
	}

	dispose(): void {
		this.#disposed = true;
		this.#listeners.clear();
	}
}

/** Surfaces a listener's error to the process without breaking the one who fired. */
function reportLater(error: unknown): void {
	queueMicrotask(() => {
		throw error;
	});
}

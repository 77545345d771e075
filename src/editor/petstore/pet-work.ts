import type { Pets } from "#app/petstore/pets.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type Doing, withProgress } from "../progress.ts";

/** Operations of the Pets view: its bar runs meanwhile, and a button in its title cancels them. */
export class PetWork implements Disposable {
	readonly #pets: Pets;
	readonly #running = new Set<AbortController>();
	readonly #changed = new Emitter<void>();

	constructor(pets: Pets) {
		this.#pets = pets;
	}

	/** Fires when something begins or ends, lists of pets aside. */
	readonly onDidChange = this.#changed.event;

	/** True while anything is under way. */
	get isBusy(): boolean {
		return this.#running.size > 0 || this.#pets.isLoading;
	}

	/** Runs work that can be stopped, with progress; `tell` reports how far it is. */
	async run<T>(title: string, work: (signal: AbortSignal, tell: Doing["tell"]) => Promise<T>): Promise<T> {
		const stop = new AbortController();
		this.#running.add(stop);
		this.#changed.fire();
		try {
			return await withProgress(title, (signal, { tell }) => work(signal, tell), { stop: stop.signal });
		} finally {
			this.#running.delete(stop);
			this.#changed.fire();
		}
	}

	/** Ends all of it; what is done stays done. Says whether there was something to end. */
	stop(): boolean {
		const { isBusy } = this;
		for (const each of this.#running) each.abort();
		this.#pets.cancel();
		return isBusy;
	}

	dispose(): void {
		this.#changed.dispose();
		this.stop();
	}
}

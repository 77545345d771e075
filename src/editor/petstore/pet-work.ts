import type { Pets } from "#app/petstore/pets.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type Doing, withProgress } from "../progress.ts";

/** Operations of the Pets view: its bar runs meanwhile, and a button in its title cancels them. */
export type PetWork = ReturnType<typeof petWork>;

/** Way to run operations of the Pets view; they end with `held`. */
export function petWork(pets: Pets, held: DisposableStore) {
	const running = new Set<AbortController>();
	const changed = held.add(new Emitter<void>());
	const work = {
		/** Fires when something begins or ends, lists of pets aside. */
		onDidChange: changed.event,
		/** True while anything is under way. */
		get isBusy() {
			return running.size > 0 || pets.isLoading;
		},
		/** Runs work that can be stopped, with progress; `tell` reports how far it is. */
		async run<T>(title: string, run: (signal: AbortSignal, tell: Doing["tell"]) => Promise<T>): Promise<T> {
			const stop = new AbortController();
			running.add(stop);
			changed.fire();
			try {
				return await withProgress(title, (signal, { tell }) => run(signal, tell), { stop: stop.signal });
			} finally {
				running.delete(stop);
				changed.fire();
			}
		},
		/** Ends all of it; what is done stays done. Says whether there was something to end. */
		stop(): boolean {
			const { isBusy } = work;
			for (const each of running) each.abort();
			pets.cancel();
			return isBusy;
		},
	};
	held.add({ dispose: () => void work.stop() });
	return work;
}

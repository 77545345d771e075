import type { Pets } from "#app/petstore/pets.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type Doing, withProgress } from "../progress.ts";

/** Runner of the operations of the Pets view, with its progress bar and cancel button; disposing `held` ends them. */
export function petWork(pets: Pets, held: DisposableStore) {
	const running = new Set<AbortController>();
	const changed = held.add(new Emitter<void>());
	const work = {
		/** Fires when an operation begins or ends; loading lists does not count. */
		onDidChange: changed.event,
		/** True while anything is under way. */
		get isBusy() {
			return running.size > 0 || pets.isLoading;
		},
		/** Runs a cancelable operation with progress. */
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
		/** Cancels all operations and loads. Returns true if there were any. */
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

import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import type { Doubt, PetstoreClients } from "./clients.ts";

/** What doubts are gathered with. */
export interface DoubtsParts {
	readonly clients: Pick<PetstoreClients, "onDidDoubt">;
	readonly clock: Clock;
	/** Hears of one connection what may be done there (see {@link Doubt}). */
	readonly heard: (connection: string, changes: readonly string[]) => void;
}

/** Doubts that come so soon after one another are told together: a move has one for each of its pets. Milliseconds. */
const TOGETHER_MS = 1_000;

/** Gathers the changes of which nobody knows whether they were done, so that a person hears of many at once. */
export class Doubts implements Disposable {
	readonly #held = new DisposableStore();
	readonly #waiting = new Map<string, { readonly changes: readonly string[]; readonly timer: Disposable }>();

	constructor({ clients, clock, heard }: DoubtsParts) {
		const gather = ({ connection, what }: Doubt) => {
			const { changes = [], timer: before } = this.#waiting.get(connection) ?? {};
			before?.dispose();
			const all = [...changes, what];
			const timer = clock.after(TOGETHER_MS, () => {
				this.#waiting.delete(connection);
				heard(connection, all);
			});
			this.#waiting.set(connection, { changes: all, timer });
		};
		this.#held.add(clients.onDidDoubt(gather));
	}

	dispose(): void {
		this.#held.dispose();
		for (const { timer } of this.#waiting.values()) timer.dispose();
		this.#waiting.clear();
	}
}

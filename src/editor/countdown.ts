import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { AddedRepository, Repositories } from "#app/codehost/repositories.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";

/** What is counted down, and how it is drawn. */
export interface ErrorCountdownParts {
	readonly lists: IssueLists;
	readonly repositories: Repositories;
	readonly clock: Clock;
	/** Draws again why the issues of a repository could not be loaded. */
	readonly draw: (repository: AddedRepository) => void;
}

const TICK_MS = 1_000;
/** While minutes are shown. */
const LONG_TICK_MS = 30_000;
/** With more to go than this, no second is shown before the next long tick. Milliseconds. */
const SECONDS_BELOW_MS = 120_000;

/** Keeps true what errors say of the time at which a service can be asked again, until that has come. */
export class ErrorCountdown implements Disposable {
	readonly #parts: ErrorCountdownParts;
	readonly #held = new DisposableStore();
	#timer: Disposable | undefined;

	constructor(parts: ErrorCountdownParts) {
		this.#parts = parts;
		this.#held.add(parts.lists.onDidChange(({ event }) => event.type === "state" && this.#plan()));
		this.#held.add({ dispose: () => this.#timer?.dispose() });
	}

	dispose(): void {
		this.#held.dispose();
	}

	#plan(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		const { repositories, lists, clock, draw } = this.#parts;
		const counted = repositories.list().flatMap((repository) => {
			const { state } = lists.of(repository);
			const ms = state.name === "error" && state.retryAt !== null ? state.retryAt - clock.now() : 0;
			return ms > 0 ? [{ repository, ms }] : [];
		});
		if (counted.length === 0) return;
		const first = Math.min(...counted.map(({ ms }) => ms));
		this.#timer = clock.after(first > SECONDS_BELOW_MS ? LONG_TICK_MS : TICK_MS, () => {
			for (const { repository } of counted) draw(repository);
			this.#plan();
		});
	}
}

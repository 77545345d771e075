import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { describeWait } from "../kit/words.ts";

/** A wait that is over so soon is not worth a line. Milliseconds. */
const SHORTEST_MS = 500;
const TICK_MS = 1_000;

/** Rooms that the line is made from. */
export interface WaitLineParts {
	readonly statuses: CodehostStatuses;
	readonly repositories: Repositories;
	readonly lists: IssueLists;
	readonly clock: Clock;
	/** Shows the line above the issues; undefined takes it away. */
	readonly show: (line: string | undefined) => void;
}

/** Counts down in a line above the issues what a list under way waits for: a rate limit, or the next try. */
export class WaitLine implements Disposable {
	readonly #parts: WaitLineParts;
	readonly #held = new DisposableStore();
	#timer: Disposable | undefined;
	#shown: string | undefined;

	constructor(parts: WaitLineParts) {
		this.#parts = parts;
		this.#held.add(parts.statuses.onDidChange(() => this.#update()));
		this.#held.add(parts.lists.onDidChange(() => this.#update()));
		this.#held.add({ dispose: () => this.#timer?.dispose() });
	}

	dispose(): void {
		this.#held.dispose();
	}

	#update(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		if (this.#held.disposed) return;
		const line = this.#wait();
		if (line !== undefined) this.#timer = this.#parts.clock.after(TICK_MS, () => this.#update());
		if (line === this.#shown) return;
		this.#shown = line;
		this.#parts.show(line);
	}

	/** That of the wait which ends first, among the connections with a list that is being loaded. */
	#wait(): string | undefined {
		const { statuses, repositories, lists, clock } = this.#parts;
		const loading = new Set(
			repositories
				.list()
				.filter((each) => lists.of(each).state.name === "loading")
				.map(({ connection }) => connection),
		);
		if (loading.size === 0) return undefined;
		const now = clock.now();
		const [first] = statuses
			.list()
			.flatMap(({ connection, label, wait }) => (wait !== null && loading.has(connection) ? [{ label, wait }] : []))
			.sort((a, b) => a.wait.until - b.wait.until);
		if (first === undefined || first.wait.until - now < SHORTEST_MS) return undefined;
		return describeWait(first.wait, { label: first.label, now });
	}
}

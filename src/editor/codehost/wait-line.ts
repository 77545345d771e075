import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { CHUNK_ROWS } from "../chunks.ts";
import { describeWait } from "../kit/words.ts";
import { describeCodehostError } from "./words.ts";

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

/**
 * Counts down in a line what a list that a person is waiting for waits for itself: a limit, or the next try. While nothing
 * does, says which of the lists that are too long to be drawn again for it is not up to date.
 */
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
		const wait = this.#wait();
		const line = wait ?? this.#outdated();
		if (wait !== undefined) this.#timer = this.#parts.clock.after(TICK_MS, () => this.#update());
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

	/** The shorter lists say so themselves, above their first issue. */
	#outdated(): string | undefined {
		const { statuses, repositories, lists } = this.#parts;
		for (const { repository, connection } of repositories.list()) {
			const { state, isOutdated, issues } = lists.of({ repository, connection });
			if (!isOutdated || state.name !== "error" || issues.length <= CHUNK_ROWS) continue;
			const label = statuses.list().find((each) => each.connection === connection)?.label ?? "";
			return `${repository} is not up to date. ${describeCodehostError(state.error, label).title}`;
		}
		return undefined;
	}
}

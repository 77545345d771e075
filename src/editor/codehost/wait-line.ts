import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { describeWait } from "../kit/words.ts";

/** A wait that is over so soon is not worth a line. Milliseconds. */
const SHORTEST_MS = 500;
const TICK_MS = 1_000;

/** Counts down in a line above the issues what a list under way waits for: a rate limit, or the next try. */
export class WaitLine implements Disposable {
	readonly #repositories: Repositories;
	readonly #lists: IssueLists;
	readonly #statuses: CodehostStatuses;
	readonly #show: (line: string | undefined) => void;
	readonly #held = new DisposableStore();
	#timer: Disposable | undefined;
	#shown: string | undefined;

	/** `show` shows the line; undefined takes it away. */
	constructor(
		repositories: Repositories,
		lists: IssueLists,
		statuses: CodehostStatuses,
		show: (line: string | undefined) => void,
	) {
		this.#repositories = repositories;
		this.#lists = lists;
		this.#statuses = statuses;
		this.#show = show;
		this.#held.add(statuses.onDidChange(() => this.#update()));
		this.#held.add(lists.onDidChange(() => this.#update()));
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
		if (line !== undefined) this.#timer = this.#repositories.clients.parts.clock.after(TICK_MS, () => this.#update());
		if (line === this.#shown) return;
		this.#shown = line;
		this.#show(line);
	}

	/** That of the wait which ends first, among the connections with a list that is being loaded. */
	#wait(): string | undefined {
		const loading = new Set(
			this.#repositories
				.list()
				.filter((each) => this.#lists.of(each).state.name === "loading")
				.map(({ connection }) => connection),
		);
		if (loading.size === 0) return undefined;
		const now = this.#repositories.clients.parts.clock.now();
		const [first] = this.#statuses
			.list()
			.flatMap(({ connection, label, wait }) => (wait !== null && loading.has(connection) ? [{ label, wait }] : []))
			.sort((a, b) => a.wait.until - b.wait.until);
		if (first === undefined || first.wait.until - now < SHORTEST_MS) return undefined;
		return describeWait(first.wait, { label: first.label, now });
	}
}

import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import type { IssueLists } from "./issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "./repositories.ts";
import { type CodehostStatuses, isRefused, lacksSecret } from "./status.ts";

/** Share of the interval by which windows that were opened together drift apart. */
const JITTER = 0.2;

/** Rounds that a repository which fails again and again is left out of between two tries. */
const MOST_SKIPPED = 3;

/**
 * Refreshes the loaded issues at an interval while the window is focused: one repository of a connection after the
 * other, none while its credential is refused or its rate limit is nearly used up. What fails is tried ever more rarely.
 */
export class BackgroundRefresher implements Disposable {
	readonly #lists: IssueLists;
	readonly #repositories: Repositories;
	readonly #statuses: CodehostStatuses;
	readonly #options: ConstructorParameters<typeof BackgroundRefresher>[3];
	readonly #held = new DisposableStore();
	/** Failures of each repository, and the rounds that it is still left out of, by key. */
	readonly #failed = new Map<string, { failures: number; skip: number }>();
	/** Time at which the last round ended, in epoch milliseconds. */
	#since: number;
	#timer: Disposable | undefined;
	#isUnderWay = false;

	constructor(
		lists: IssueLists,
		repositories: Repositories,
		statuses: CodehostStatuses,
		/** Conditions, read anew for each round: the focus of the window, and the interval, of which 0 means never. */
		options: { readonly clock: Clock; readonly focused: () => boolean; readonly intervalMs: () => number },
	) {
		this.#lists = lists;
		this.#repositories = repositories;
		this.#statuses = statuses;
		this.#options = options;
		this.#since = options.clock.now();
		this.#held.add(repositories.onDidChange(() => this.plan()));
		this.#held.add({ dispose: () => this.#timer?.dispose() });
		this.plan();
	}

	/** Plans the next round anew: the focus of the window or the interval has changed. */
	plan(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		const { clock, focused, intervalMs } = this.#options;
		const interval = intervalMs();
		if (this.#held.disposed || this.#isUnderWay || !focused() || !(interval > 0)) return;
		if (this.#repositories.list().length === 0) return;
		const at = this.#since + interval * (1 + JITTER * clock.random());
		this.#timer = clock.after(Math.max(0, at - clock.now()), () => void this.#round());
	}

	dispose(): void {
		this.#held.dispose();
	}

	async #round(): Promise<void> {
		this.#isUnderWay = true;
		const byConnection = Map.groupBy(this.#repositories.list(), ({ connection }) => connection);
		await Promise.allSettled([...byConnection].map(([connection, all]) => this.#refresh(connection, all)));
		this.#isUnderWay = false;
		this.#since = this.#options.clock.now();
		this.plan();
	}

	async #refresh(connection: string, repositories: readonly AddedRepository[]): Promise<void> {
		for (const repository of repositories) {
			if (!this.#mayAsk(connection)) return;
			const key = repositoryKey(repository);
			const failed = this.#failed.get(key);
			if (failed !== undefined && failed.skip > 0) {
				failed.skip -= 1;
				continue;
			}
			const error = await this.#lists.refreshQuietly(repository);
			const failures = (failed?.failures ?? 0) + 1;
			if (error === null) this.#failed.delete(key);
			else this.#failed.set(key, { failures, skip: Math.min(MOST_SKIPPED, 2 ** failures - 1) });
		}
	}

	#mayAsk(connection: string): boolean {
		const status = this.#statuses.list().find((each) => each.connection === connection);
		if (status === undefined || !this.#options.focused() || lacksSecret(status) || isRefused(status)) return false;
		const { rate } = status;
		return rate === null || !(rate.low || rate.stopped || rate.closedUntil !== null);
	}
}

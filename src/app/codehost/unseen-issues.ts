import type { Issue } from "#api/codehost/model.ts";
import { type Infer, integer, map, object, parsed } from "#base/schema.ts";
import type { KeyValueStore } from "../ports.ts";
import type { IssueLists } from "./issue-lists.ts";
import { type Repositories, repositoryKey } from "./repositories.ts";

const KEY = "switchboard.issues.seen";

const SEEN = object({
	/** Greatest number of an issue that was looked at. */
	number: integer(),
	/** Latest update that was looked at, by the service's clock, in epoch milliseconds. */
	updatedAt: integer(),
	/** Number of issues that came after, which holds until the list is loaded again. */
	unseen: integer(),
});

type Seen = Infer<typeof SEEN>;

/** Count of loaded issues that are new or updated since the Issues view was last looked at. Requests nothing. */
export class UnseenIssues {
	readonly #lists: IssueLists;
	readonly #repositories: Repositories;
	readonly #store: KeyValueStore;
	/** By the key of the repository. */
	#seen: Readonly<Record<string, Seen>>;

	/** `store` keeps for the workspace what was looked at. */
	constructor(lists: IssueLists, repositories: Repositories, store: KeyValueStore) {
		this.#lists = lists;
		this.#repositories = repositories;
		this.#store = store;
		this.#seen = parsed(map(SEEN), store.get(KEY)) ?? {};
	}

	/** Count as of now; none of a list that is loaded for the first time, or while the view is visible, which makes all seen. */
	count(isVisible: boolean): number {
		const seen: Record<string, Seen> = {};
		for (const repository of this.#repositories.list()) {
			const key = repositoryKey(repository);
			const before = this.#seen[key];
			const { issues, state } = this.#lists.shown(repository);
			const isLoaded = state.name === "ready";
			if (before !== undefined && !isVisible) {
				seen[key] = isLoaded ? { ...before, unseen: countAfter(issues, before) } : before;
			} else if (before !== undefined || isLoaded) {
				seen[key] = seenAll(issues, before);
			}
		}
		if (JSON.stringify(seen) !== JSON.stringify(this.#seen)) void this.#store.set(KEY, seen).catch(() => undefined);
		this.#seen = seen;
		return Object.values(seen).reduce((sum, { unseen }) => sum + unseen, 0);
	}
}

function seenAll(issues: readonly Issue[], before: Seen = { number: 0, updatedAt: 0, unseen: 0 }): Seen {
	const greatest = (least: number, of: (issue: Issue) => number) =>
		issues.reduce((most, issue) => Math.max(most, of(issue)), least);
	return {
		number: greatest(before.number, ({ number }) => number),
		updatedAt: greatest(before.updatedAt, ({ updatedAt }) => updatedAt ?? 0),
		unseen: 0,
	};
}

function countAfter(issues: readonly Issue[], seen: Seen): number {
	return issues.filter(({ number, updatedAt }) => number > seen.number || (updatedAt ?? 0) > seen.updatedAt).length;
}

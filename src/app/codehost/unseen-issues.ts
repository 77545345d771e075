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

/**
 * Counts the loaded issues that are new or updated since the Issues view was last looked at; requests nothing. A list that
 * is loaded for the first time is no news, and while the view is visible all is seen. `store` is that of the workspace.
 */
export function unseenIssues(lists: IssueLists, repositories: Repositories, store: KeyValueStore) {
	/** By the key of the repository. */
	let seen: Readonly<Record<string, Seen>> = parsed(map(SEEN), store.get(KEY)) ?? {};
	return (isVisible: boolean): number => {
		const now: Record<string, Seen> = {};
		for (const repository of repositories.list()) {
			const key = repositoryKey(repository);
			const before = seen[key];
			const { issues, state } = lists.shown(repository);
			const isLoaded = state.name === "ready";
			if (before === undefined ? isLoaded : isVisible) now[key] = seenAll(issues, before);
			else if (before !== undefined) now[key] = isLoaded ? { ...before, unseen: countAfter(issues, before) } : before;
		}
		if (JSON.stringify(now) !== JSON.stringify(seen)) void store.set(KEY, now).catch(() => undefined);
		seen = now;
		return Object.values(now).reduce((sum, { unseen }) => sum + unseen, 0);
	};
}

function seenAll(issues: readonly Issue[], before: Seen = { number: 0, updatedAt: 0, unseen: 0 }): Seen {
	const number = Math.max(before.number, ...issues.map((issue) => issue.number));
	const updatedAt = Math.max(before.updatedAt, ...issues.map((issue) => issue.updatedAt ?? 0));
	return { number, updatedAt, unseen: 0 };
}

function countAfter(issues: readonly Issue[], seen: Seen): number {
	return issues.filter(({ number, updatedAt }) => number > seen.number || (updatedAt ?? 0) > seen.updatedAt).length;
}

import { ISSUES, type Issue } from "#api/codehost/model.ts";
import { anything, type Infer, integer, list, map, object, parsed } from "#base/schema.ts";
import type { KeyValueStore } from "../ports.ts";
import { type Repositories, repositoryKey } from "./repositories.ts";

const KEY = "switchboard.issues.last";

/** Most issues of a list, and characters of a list and of all: the editor warns of half a megabyte. */
const MOST = { issues: 100, ofList: 100_000, ofAll: 400_000 };

/** Fields that are kept of an issue, at any depth: those that are read, of what may be many more. */
const FIELDS = [
	...["number", "title", "body", "state", "state_reason", "labels", "name", "color", "milestone", "comments"],
	...["user", "author", "assignee", "assignees", "login", "created_at", "updated_at", "closed_at"],
	...["html_url", "pull_request"],
];

const KEPT = object({ at: integer(), issues: list(anything()) });

/** First issues of a list as they were read at a time, in epoch milliseconds. */
interface LastList {
	readonly at: number;
	readonly issues: readonly Issue[];
}

/** Lists of issues as they were last read: {@link lastLists}. */
export type LastLists = ReturnType<typeof lastLists>;

/** Keeps lists of issues as they were last read for the workspace: they are shown while a service is away. */
export function lastLists(store: KeyValueStore, repositories: Repositories) {
	/** By the key of a repository and a query, the newest last. */
	let kept: Readonly<Record<string, Infer<typeof KEPT>>> = parsed(map(KEPT), store.get(KEY)) ?? {};

	function set(all: typeof kept): void {
		const { registry } = repositories.clients.parts;
		const read = repositories.list().filter(({ connection }) => registry.get(connection) !== undefined);
		const there = new Set(read.map(repositoryKey));
		const wanted = Object.entries(all).filter(([key]) => there.has(key.split("\n", 1)[0] ?? ""));
		kept = Object.fromEntries(fitting(wanted.reverse(), MOST.ofAll).toReversed());
		// A list that cannot be kept is only not there when its service is away.
		void store.set(KEY, kept).catch(() => undefined);
	}

	return {
		get(key: string): LastList | undefined {
			const list = kept[key];
			return list && { ...list, issues: (parsed(ISSUES, list.issues) ?? []).filter((each) => each !== null) };
		},
		/** Keeps a list, as much of it as there is room for. */
		keep(key: string, { at, issues }: LastList): void {
			const sparse = issues.slice(0, MOST.issues).map(({ raw }): unknown => JSON.parse(JSON.stringify(raw, FIELDS)));
			const { [key]: _, ...others } = kept;
			set({ ...others, [key]: { at, issues: fitting(sparse, MOST.ofList) } });
		},
		/** Drops lists, and those of repositories and connections that are gone. */
		drop(isOver: (key: string) => boolean = () => false): void {
			const lists = Object.entries(kept);
			if (lists.length > 0) set(Object.fromEntries(lists.filter(([key]) => !isOver(key))));
		},
	};
}

/** Items of JSON that fit into a number of characters: each that has room beside those before it. */
function fitting<T>(items: readonly T[], most: number): readonly T[] {
	let left = most;
	return items.filter((item) => {
		const rest = left - JSON.stringify(item).length;
		if (rest > 0) left = rest;
		return rest > 0;
	});
}

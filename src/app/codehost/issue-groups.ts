import type { Issue } from "#api/codehost/model.ts";
import { oneLine } from "#base/one-line.ts";
import { COLLATOR, type IssueGrouping, type IssueSort, SORTS } from "./issue-list.ts";
import type { AddedRepository } from "./repositories.ts";

/** Issue of a repository that was added. */
export interface FoundIssue {
	readonly repository: AddedRepository;
	readonly issue: Issue;
}

/** Loaded issues with a value in common. */
export interface IssueGroup {
	/** Value in lower case, since code hosts ignore the case of names; empty for issues without one. */
	readonly key: string;
	readonly name: string;
	readonly issues: readonly FoundIssue[];
}

/** Grouping across repositories. */
export type FieldGrouping = Exclude<IssueGrouping, "repository">;

/** Values of an issue by which it is grouped. */
const NAMES: Readonly<Record<FieldGrouping, (issue: Issue) => readonly string[]>> = {
	label: ({ labels }) => labels.map(({ name }) => name),
	milestone: ({ milestone }) => [milestone ?? ""],
	assignee: ({ assignees }) => assignees,
	none: () => [],
};

/** Loaded issues of a repository, in the order of the view. */
interface LoadedIssues {
	readonly repository: AddedRepository;
	readonly issues: readonly Issue[];
}

/** Gives the groups of {@link groupIssues}, the same ones until a list or the grouping has changed. */
export function issueGrouper(): typeof groupIssues {
	let last: { readonly made: readonly unknown[]; readonly groups: readonly IssueGroup[] } | undefined;
	return (lists, sort, group) => {
		// A list that has changed, or is sorted otherwise, has another array of issues.
		const made = [group, ...lists.map(({ issues }) => issues)];
		const isCurrent = last?.made.length === made.length && last.made.every((each, at) => each === made[at]);
		if (last === undefined || !isCurrent) last = { made, groups: groupIssues(lists, sort, group) };
		return last.groups;
	};
}

/**
 * Groups the issues of several repositories by a field. Groups are sorted by name, issues as the view is, or else one
 * repository after another. An issue is in the group of each of its values; those without any come last.
 */
export function groupIssues(
	lists: readonly LoadedIssues[],
	sort: IssueSort,
	grouping: FieldGrouping,
): readonly IssueGroup[] {
	const all = lists.flatMap(({ repository, issues }) => issues.map((issue) => ({ repository, issue })));
	const { compare } = SORTS[sort];
	if (compare !== undefined && lists.length > 1) all.sort((a, b) => compare(a.issue, b.issue));
	const groups = new Map<string, { readonly key: string; readonly name: string; readonly issues: FoundIssue[] }>();
	/** Names as one line, by those that were sent: thousands of issues share a few. */
	const lines = new Map<string, string>();
	for (const found of all) {
		const names = NAMES[grouping](found.issue).map((sent) => {
			const line = lines.get(sent) ?? oneLine(sent);
			lines.set(sent, line);
			return line;
		});
		const named = names.filter((name) => name !== "");
		for (const name of named.length > 0 ? named : [""]) {
			const key = name.toLowerCase();
			const group = groups.get(key) ?? { key, name, issues: [] };
			groups.set(key, group);
			// A service may send a value twice.
			if (group.issues.at(-1) !== found) group.issues.push(found);
		}
	}
	return [...groups.values()].sort(
		(a, b) => Number(a.key === "") - Number(b.key === "") || COLLATOR.compare(a.name, b.name),
	);
}

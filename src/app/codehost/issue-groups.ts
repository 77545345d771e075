import type { Issue } from "#api/codehost/model.ts";
import { oneLine } from "#base/one-line.ts";
import { COLLATOR, type IssueGrouping, type IssueList, type IssueSort, SORTS } from "./issue-list.ts";
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

/** Gives the groups of {@link groupIssues}, the same ones until a list or the grouping has changed. */
export function issueGrouper(): typeof groupIssues {
	let before: readonly unknown[] = [];
	let groups: readonly IssueGroup[] = [];
	return (lists, sort, group) => {
		// A list that has changed, or is sorted otherwise, has another array of issues.
		const now = [group, ...lists.map(({ issues }) => issues)];
		const isSame = now.length === before.length && now.every((each, at) => each === before[at]);
		if (!isSame) groups = groupIssues(lists, sort, group);
		before = now;
		return groups;
	};
}

/** Groups issues by a field, sorted by name; an issue is in the group of each of its values. Those without come last. */
export function groupIssues(
	lists: readonly Pick<IssueList, "repository" | "issues">[],
	sort: IssueSort,
	grouping: FieldGrouping,
): readonly IssueGroup[] {
	const all = lists.flatMap(({ repository, issues }) => issues.map((issue) => ({ repository, issue })));
	if (lists.length > 1) all.sort((a, b) => SORTS[sort].compare(a.issue, b.issue));
	const groups = new Map<string, IssueGroup & { readonly issues: FoundIssue[] }>();
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

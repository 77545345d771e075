import type { Issue } from "#api/codehost/model.ts";
import { oneLine } from "#base/one-line.ts";
import { COLLATOR, type IssueView, SORTS } from "./issue-list.ts";
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

/** Values of an issue by the field that issues are grouped by. */
const NAMES = {
	label: ({ labels }: Issue) => labels.map(({ name }) => name),
	milestone: ({ milestone }: Issue) => [milestone ?? ""],
	assignee: ({ assignees }: Issue) => assignees,
} as const;

/** Issues of several repositories in the order of a view; in that of their services, one repository after another. */
export function mergeIssues(
	lists: readonly { readonly repository: AddedRepository; readonly issues: readonly Issue[] }[],
	{ sort }: Pick<IssueView, "sort">,
): readonly FoundIssue[] {
	const all = lists.flatMap(({ repository, issues }) => issues.map((issue) => ({ repository, issue })));
	const { compare } = SORTS[sort];
	return compare === undefined || lists.length < 2 ? all : all.sort((a, b) => compare(a.issue, b.issue));
}

/** Groups issues by a field, sorted by name; an issue is in the group of each of its values. Those without come last. */
export function groupIssues(all: readonly FoundIssue[], field: keyof typeof NAMES): readonly IssueGroup[] {
	const groups = new Map<string, { readonly key: string; readonly name: string; readonly issues: FoundIssue[] }>();
	/** Names as one line, by those that were sent: thousands of issues share a few. */
	const lines = new Map<string, string>();
	for (const found of all) {
		const names = NAMES[field](found.issue).map((sent) => {
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

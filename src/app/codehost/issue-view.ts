import type { Issue, IssueQuery } from "#api/codehost/model.ts";

/** View of a list of issues: filter, order and state. */
export interface IssueView {
	/** Words that must all occur in the number, title, labels or author, whatever their case; empty shows all. */
	readonly text: string;
	readonly sort: IssueSort;
	readonly state: "open" | "closed" | "all";
}

/** Order of issues: that of the service's listing, or one by a field of the issue. */
export type IssueSort = "service" | "newest" | "oldest" | "updated" | "comments" | "title";

/** True if something names an order of issues. */
export function isIssueSort(value: unknown): value is IssueSort {
	return typeof value === "string" && Object.hasOwn(SORTS, value);
}

/** Default view. */
export const DEFAULT_VIEW: IssueView = { text: "", sort: "service", state: "open" };

/** Part of a view that a service with these query parameters applies by itself, to issues that are not loaded too. */
export function queryOf({ sort, state }: IssueView, known: readonly string[]): IssueQuery {
	const wanted = { state, ...SORTS[sort].query };
	return Object.fromEntries(Object.entries(wanted).filter(([name]) => known.includes(name)));
}

/**
 * Part of a view that the service cannot apply: its state and order then hold only for what it
 * lists by itself and is loaded.
 */
export function unaskedOf({ sort, state }: IssueView, known: readonly string[]): ReadonlySet<"state" | "sort"> {
	const unasked = new Set<"state" | "sort">();
	if (state !== "open" && !known.includes("state")) unasked.add("state");
	if (sort !== "service" && !("sort" in SORTS[sort].query && known.includes("sort"))) unasked.add("sort");
	return unasked;
}

/** True if an issue is closed. The contract names no states, and services have several for what is open. */
export function isClosedIssue({ state }: Issue): boolean {
	return state?.toLowerCase() === "closed";
}

/** Matcher of a view. An issue without a known state is never hidden for its state. */
export function issueMatcher({ text, state }: IssueView): (issue: Issue) => boolean {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	return (issue) => {
		if (state !== "all" && issue.state !== null && isClosedIssue(issue) !== (state === "closed")) return false;
		if (words.length === 0) return true;
		const labels = issue.labels.map(({ name }) => name);
		const haystack = [`#${issue.number}`, issue.title, ...labels, issue.author ?? ""].join("\n").toLowerCase();
		return words.every((word) => haystack.includes(word));
	};
}

/** Puts issues in order; undefined for the service's own. What is not known comes last. */
export function comparerOf(sort: IssueSort): ((a: Issue, b: Issue) => number) | undefined {
	return SORTS[sort].compare;
}

/** Making one is what costs, not using it. */
const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The greater first. */
function by(read: (issue: Issue) => number | null): (a: Issue, b: Issue) => number {
	return (a, b) => {
		const [left, right] = [read(a), read(b)];
		if (left === right) return 0;
		if (left === null) return 1;
		return right === null ? -1 : right - left;
	};
}

/** Each order: how a service is asked for it, and how loaded issues are put in it. */
const SORTS: Readonly<Record<IssueSort, { readonly query: IssueQuery; compare?(a: Issue, b: Issue): number }>> = {
	service: { query: {} },
	newest: { query: { sort: "created", direction: "desc" }, compare: by(({ createdAt }) => createdAt) },
	oldest: {
		query: { sort: "created", direction: "asc" },
		compare: by(({ createdAt }) => (createdAt === null ? null : -createdAt)),
	},
	updated: { query: { sort: "updated", direction: "desc" }, compare: by(({ updatedAt }) => updatedAt) },
	comments: { query: { sort: "comments", direction: "desc" }, compare: by(({ comments }) => comments) },
	title: { query: {}, compare: (a, b) => COLLATOR.compare(a.title, b.title) },
};

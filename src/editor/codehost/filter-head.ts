import { DEFAULT_VIEW, type IssueSort, type IssueView } from "#app/codehost/issue-view.ts";

/** The orders of issues and their names. */
export const ISSUE_SORTS: readonly (readonly [IssueSort, string])[] = [
	["service", "As the Service Lists Them"],
	["newest", "Newest First"],
	["oldest", "Oldest First"],
	["updated", "Recently Updated First"],
	["comments", "Most Discussed First"],
	["title", "By Title"],
];

/** True if a view leaves issues out otherwise than at first. */
export function isFiltered({ text, state }: IssueView): boolean {
	return text !== DEFAULT_VIEW.text || state !== DEFAULT_VIEW.state;
}

/** Description beside the name of the view: the filter and the order, where they are not the default. */
export function headOf({ text, state, sort }: IssueView): string {
	const order = ISSUE_SORTS.find(([name]) => name === sort)?.[1].toLowerCase() ?? "";
	const words = [
		text === DEFAULT_VIEW.text ? "" : `"${text}"`,
		state === DEFAULT_VIEW.state ? "" : state,
		sort === DEFAULT_VIEW.sort ? "" : order,
	];
	return words.filter((word) => word !== "").join(" · ");
}

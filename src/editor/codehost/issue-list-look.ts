import type { IssueList } from "#app/codehost/issue-list.ts";
import { COMMANDS } from "#app/contributions.ts";
import type { RowLook } from "../tree.ts";

/** How many issues are shown, and whether there are more. */
export function countOf({ state, issues, loaded, hasMore }: IssueList): string {
	if (state.name === "idle" || (state.name !== "loaded" && loaded === 0)) return "";
	const more = hasMore ? "+" : "";
	return issues.length === loaded ? `${loaded}${more}` : `${issues.length} of ${loaded}${more}`;
}

/** The row that loads more. */
export function moreLook(list: IssueList): RowLook {
	const isLoading = list.state.name === "loading";
	return {
		label: isLoading ? "Loading..." : "Load More",
		description: `${list.loaded} loaded`,
		icon: isLoading ? "loading~spin" : "fold-down",
		spoken: isLoading ? "Loading more issues" : `Load more issues, ${list.loaded} are loaded`,
		context: "more",
		command: { id: COMMANDS.codehostLoadMore, title: "Load More" },
	};
}

/** What stands where there are no issues, or no more that can be read. */
export function noteLook(list: IssueList): RowLook {
	const label =
		list.halted !== undefined
			? "There may be more: the service's links do not lead on"
			: list.loaded > 0
				? "No issue matches the filter"
				: list.view.state === "all"
					? "No issues"
					: `No ${list.view.state} issues`;
	return { label, icon: "info", spoken: label, context: "note" };
}

import type { IssueList } from "#app/codehost/issue-list.ts";
import { COMMANDS } from "#app/contributions.ts";
import type { RowLook } from "../tree.ts";
import { describeCodehostError, type FailureWords } from "./words.ts";

/** How many issues are shown, and whether there are more. */
export function countOf({ state, issues, loaded, hasMore }: IssueList): string {
	if (state.name === "idle" || (state.name !== "loaded" && loaded === 0)) return "";
	const more = hasMore ? "+" : "";
	return issues.length === loaded ? `${loaded}${more}` : `${issues.length} of ${loaded}${more}`;
}

/** Where a list could not be loaded from: the label of its connection; and the time, milliseconds since the epoch. */
export interface ErrorPlace {
	readonly label: string;
	readonly now: number;
}

/** Why a list could not be loaded, in words that hold now; undefined when it could. */
export function errorWords({ state }: IssueList, { label, now }: ErrorPlace): FailureWords | undefined {
	if (state.name !== "error") return undefined;
	const { error, retryAt } = state;
	return describeCodehostError(error, label, retryAt === null ? {} : { retryAfterMs: retryAt - now });
}

/** The row that stands for an error, with what mends it. */
export function errorLook(list: IssueList, place: ErrorPlace): RowLook {
	const words = errorWords(list, place);
	if (words === undefined) return { label: "", spoken: "", context: "" };
	const { title, advice, remedy } = words;
	return {
		label: title,
		description: advice,
		icon: "error",
		color: "list.errorForeground",
		spoken: `Error: ${title} ${advice} Retry is in its menu.`,
		context: remedy === "replace" ? "error.credential" : remedy === "edit" ? "error.connection" : "error",
		command:
			remedy === "replace"
				? { id: COMMANDS.replaceKey, title: "Replace Key or Token" }
				: { id: COMMANDS.codehostRetry, title: "Retry" },
	};
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

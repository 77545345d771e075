import type { IssueList } from "#app/codehost/issue-list.ts";
import { DEFAULT_VIEW, type IssueSort, type IssueView } from "#app/codehost/issue-view.ts";
import { CHUNK_ROWS } from "../kit/chunks.ts";
import type { RowLook } from "../kit/tree.ts";
import type { FailureWords } from "../kit/words.ts";
import { loadingLook } from "../loading-look.ts";
import { describeCodehostError, HALTED_WORDS, type ReadingConnection } from "./words.ts";

/**
 * Number of issues shown, and whether there are more. Of very many the number is left out: the row that says it
 * cannot be drawn again without all of them.
 */
export function countOf({ state, issues, loaded, hasMore }: IssueList): string {
	if (state.name !== "ready" && loaded === 0) return "";
	if (issues.length > CHUNK_ROWS) return `${inFigures(CHUNK_ROWS)}+`;
	const more = hasMore ? "+" : "";
	const all = `${inFigures(loaded)}${more}`;
	return issues.length === loaded ? all : `${inFigures(issues.length)} of ${all}`;
}

/** State that the row above the issues of a repository shows. */
export interface Group {
	readonly repository: string;
	readonly through: ReadingConnection;
	/** True if the repository is there more than once: the connection tells which one it is. */
	readonly isTwice: boolean;
}

/** Facts of the list of a repository and of its connection, in a few words each. */
export function groupFacts(list: IssueList, { through }: Group): readonly string[] {
	const { isOutdated, unasked } = list;
	return [
		countOf(list),
		through.trouble ?? "",
		isOutdated ? OUTDATED : "",
		unasked.has("state") ? "closed ones cannot be asked for" : "",
		unasked.has("sort") && list.hasMore ? "sorted among those loaded" : "",
	].filter((fact) => fact !== "");
}

/** Look of the row above the issues of a repository. */
export function groupLook(list: IssueList, group: Group, { isOpen }: { readonly isOpen: boolean }): RowLook {
	const { repository, through, isTwice } = group;
	const facts = groupFacts(list, group);
	const named = isTwice || through.isGone ? [through.name] : [];
	const isWell = !list.isOutdated && !through.isGone && through.trouble === undefined;
	return {
		label: repository,
		description: [...named, ...facts].join(" · "),
		icon: isWell ? "repo" : "warning",
		color: isWell ? undefined : "list.warningForeground",
		spoken: [`Issues of ${repository}`, ...named.map((name) => `through ${name}`), ...facts].join(", "),
		context: "group",
		opens: isOpen ? "open" : "closed",
	};
}

/** Word for issues whose refresh failed. */
const OUTDATED = "not up to date";

/**
 * Source of a list that could not be loaded: its connection's label, if that is there; and the time, milliseconds since the
 * epoch.
 */
export interface ErrorPlace {
	readonly label: string;
	/** True if that connection is none any more. */
	readonly isGone: boolean;
	readonly now: number;
}

const GONE_WORDS: FailureWords = {
	title: "This repository is read through a connection that is gone.",
	advice: "Choose another connection for it, or remove it from the list.",
	remedy: "none",
};

/** Why a list could not be loaded, in words that hold now; undefined when it could. */
export function errorWords({ state, retryAt }: IssueList, place: ErrorPlace): FailureWords | undefined {
	const { label, now } = place;
	const { error } = state;
	if (place.isGone) return GONE_WORDS;
	if (error === undefined || error.code === "aborted") return undefined;
	return describeCodehostError(error, label, retryAt === null ? undefined : retryAt - now);
}

/** The row that stands for an error, with what mends it. */
export function errorLook(list: IssueList, place: ErrorPlace): RowLook {
	const words = errorWords(list, place);
	if (words === undefined) return { label: "", spoken: "", context: "" };
	const { title, advice, remedy } = words;
	const look = { label: title, description: advice, icon: "error", color: "list.errorForeground" };
	if (place.isGone) {
		const command = { id: "switchboard.codehost.bindRepository", title: "Change Connection" };
		return { ...look, spoken: `Error: ${title} ${advice} Both are in its menu.`, context: "unbound", command };
	}
	return {
		...look,
		spoken: `Error: ${title} ${advice} ${remedy === "replace" ? "Enter asks for it. " : ""}Retry is in its menu.`,
		context: remedy === "replace" ? "error.credential" : remedy === "edit" ? "error.connection" : "error",
		command:
			remedy === "replace"
				? { id: "switchboard.replaceKey", title: "Replace Key or Token" }
				: { id: "switchboard.codehost.retry", title: "Retry" },
	};
}

/** The row that loads what is not loaded yet. */
export function moreLook(list: IssueList): RowLook {
	const { name } = list.state;
	const command = { id: "switchboard.codehost.loadMore", title: "Load More" };
	if (list.isStopped || name === "idle") {
		const description = "loading was stopped; select to load";
		const spoken = "Issues are not loaded: loading was stopped. Load them";
		return { label: "Not loaded", description, icon: "debug-pause", spoken, context: "more", command };
	}
	const isLoading = name === "loading";
	if (isLoading && list.loaded === 0) return loadingLook("Loading issues");
	const loaded = inFigures(list.loaded);
	return {
		label: isLoading ? "Loading..." : "Load More",
		description: `${loaded} loaded`,
		icon: isLoading ? "loading~spin" : "fold-down",
		spoken: isLoading ? "Loading more issues" : `Load more issues, ${loaded} are loaded`,
		context: "more",
		command,
	};
}

/** Row that stands where there are no issues, or no more that can be read. */
export function noteLook(list: IssueList): RowLook {
	const label =
		list.halted !== undefined
			? HALTED_WORDS[list.halted]
			: list.unasked.has("state") && list.view.state === "closed"
				? "No closed issue is listed: this service cannot be asked for closed ones"
				: list.loaded > 0
					? "No issue matches the filter"
					: list.view.state === "all"
						? "No issues"
						: `No ${list.view.state} issues`;
	return { label, icon: "info", spoken: label, context: "note" };
}

function inFigures(count: number): string {
	return count.toLocaleString("en");
}

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

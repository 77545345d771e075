import type { Issue } from "#api/codehost/model.ts";
import type { WaitNotice } from "#api/http/notice.ts";
import {
	DEFAULT_VIEW,
	type IssueList,
	type IssueSort,
	type IssueView,
	isClosedIssue,
} from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import { CHUNK_ROWS, errorLook, loadingLook, looksOf, noteLook, type RowLook, WARNING } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import type { FailureWords } from "../kit/words.ts";
import { issueTitle, labelNames } from "./issue-text.ts";
import { describeCodehostError, HALTED_WORDS, type ReadingConnection } from "./words.ts";

/**
 * Number of issues shown, and whether there are more. Of very many the number is left out: the row that says it
 * cannot be drawn again without all of them.
 */
function countOf({ state, issues, loaded, hasMore }: IssueList): string {
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
	/** True if another connection has the same repository: the row then shows its connection. */
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
export function issueGroupLook(list: IssueList, group: Group, { isOpen }: { readonly isOpen: boolean }): RowLook {
	const { repository, through, isTwice } = group;
	const facts = groupFacts(list, group);
	const named = isTwice || through.isGone ? [through.name] : [];
	const isWell = !list.isOutdated && !through.isGone && through.trouble === undefined;
	return {
		label: repository,
		description: [...named, ...facts].join(" · "),
		...(isWell ? { icon: "repo" } : WARNING),
		spoken: [`Issues of ${repository}`, ...named.map((name) => `through ${name}`), ...facts].join(", "),
		context: "group",
		opens: isOpen ? "open" : "closed",
	};
}

/** Word for issues whose refresh failed. */
const OUTDATED = "not up to date";

const GONE_WORDS: FailureWords = {
	title: "This repository is read through a connection that is gone.",
	advice: "Choose another connection for it, or remove it from the list.",
	remedy: "none",
};

/** Reason why a list could not be loaded, in words that hold `now`, in epoch milliseconds; undefined when it could. */
export function errorWords(
	{ state, retryAt }: IssueList,
	{ name, isGone }: ReadingConnection,
	now: number,
): FailureWords | undefined {
	const { error } = state;
	if (isGone) return GONE_WORDS;
	if (error === undefined || error.code === "aborted") return undefined;
	return describeCodehostError(error, name, retryAt === null ? undefined : retryAt - now);
}

/** Look of the row of an error, with the command that fixes it. */
export function issueErrorLook(words: FailureWords, { isGone }: ReadingConnection): RowLook {
	const stepToFix = { id: "switchboard.replaceKey", title: "Replace Key or Token" };
	const look = errorLook(words, { id: "switchboard.codehost.retry", title: "Retry" }, stepToFix);
	if (!isGone) return look;
	const command = { id: "switchboard.codehost.bindRepository", title: "Change Connection" };
	const spoken = `Error: ${words.title} ${words.advice} Both are in its menu.`;
	return { ...look, spoken, context: "unbound", command };
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

/** Look of the row that stands where there are no issues, or no more that can be read. */
export function endLook(list: IssueList): RowLook {
	const { halted, unasked, view, loaded } = list;
	if (halted !== undefined) return noteLook(HALTED_WORDS[halted]);
	if (unasked.has("state") && view.state === "closed") {
		return noteLook("No closed issue is listed: this service cannot be asked for closed ones");
	}
	if (loaded > 0) return noteLook("No issue matches the filter");
	return noteLook(view.state === "all" ? "No issues" : `No ${view.state} issues`);
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

/** A wait that is over so soon is not worth a line. Milliseconds. */
const SHORTEST_MS = 500;

/** The wait that ends first among those of the connections with a list that is being loaded; undefined for none. */
export function waitedFor(
	{ loading }: Pick<IssueLists, "loading">,
	statuses: CodehostStatuses,
	now: number,
): { readonly label: string; readonly wait: WaitNotice } | undefined {
	if (loading.length === 0) return undefined;
	const [first] = statuses
		.list()
		.filter(({ connection }) => loading.some(({ repository }) => repository.connection === connection))
		.flatMap(({ label, wait }) => (wait === null ? [] : [{ label, wait }]))
		.sort((a, b) => a.wait.until - b.wait.until);
	return first !== undefined && first.wait.until - now >= SHORTEST_MS ? first : undefined;
}

/** Look of an issue's row; the words of the filter are marked in its title. */
export const issueLook = looksOf((issue: Issue): RowLook => {
	const label = `#${issue.number} ${issueTitle(issue)}`;
	const labels = labelNames(issue);
	const author = plainLine(issue.author);
	const { icon, color, word } = stateOf(issue);
	const about = [author === "" ? "" : `by ${author}`, ...labels].filter((part) => part !== "").join(", ");
	return {
		label,
		description: labels.length > 0 ? labels.join(" · ") : author,
		icon,
		color,
		spoken: `${word} ${issue.number}: ${issueTitle(issue)}${about === "" ? "" : `, ${about}`}`,
		context: webAddress(issue.htmlUrl) === undefined ? "issue" : "issue.linked",
		command: { id: "switchboard.codehost.openIssue", title: "Open Issue" },
	};
});

function stateOf(issue: Issue): { icon: string; color: string | undefined; word: string } {
	const { isPullRequest, state } = issue;
	const closed = isClosedIssue(issue);
	const word = `${state === null ? "" : `${closed ? "Closed" : "Open"} `}${isPullRequest ? "pull request" : "issue"}`;
	const color = state === null ? undefined : closed ? "charts.purple" : "charts.green";
	if (isPullRequest) return { icon: closed ? "git-pull-request-closed" : "git-pull-request", color, word };
	return { icon: closed ? "issue-closed" : "issues", color, word };
}

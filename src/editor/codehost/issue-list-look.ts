import type { Issue } from "#api/codehost/model.ts";
import type { FieldGrouping, FoundIssue, IssueGroup } from "#app/codehost/issue-groups.ts";
import {
	DEFAULT_VIEW,
	type IssueGrouping,
	type IssueList,
	type IssueSort,
	type IssueView,
	isClosedIssue,
} from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { ME } from "#app/codehost/issue-queries.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import { msInWords } from "#base/duration.ts";
import type { FailureWords } from "../kit/error-words.ts";
import { CHUNK_ROWS, errorLook, loadingLook, looksOf, noteLook, type RowLook, WARNING } from "../kit/rows.ts";
import { joinParts, plainLine, plainNames } from "../kit/text.ts";
import { HALTED_WORDS, type ReadingConnection } from "../words/codehost-words.ts";
import { describeFailure } from "../words/failures.ts";
import { issueTitle } from "./issue-text.ts";

/** Number of issues shown, and of how many there are, as far as the service tells. */
export function countOf({ state, issues, loaded, hasMore, listing: { halted, total } }: IssueList): string {
	if (state.name !== "ready" && loaded === 0) return "";
	const isPart = total !== undefined && (hasMore || halted === "unlinked");
	return `${counted(issues.length, loaded, hasMore && !isPart)}${isPart ? ` of ${inFigures(total)}` : ""}`;
}

/** Very many are not counted: their row would need all of them drawn. */
function counted(shown: number, loaded: number, hasMore: boolean): string {
	if (shown > CHUNK_ROWS) return `${inFigures(CHUNK_ROWS)}+`;
	const all = `${inFigures(loaded)}${hasMore ? "+" : ""}`;
	return shown === loaded ? all : `${inFigures(shown)} of ${all}`;
}

/** Number of issues shown of several lists, and of how many that are loaded, such as `40 of 100+ loaded`. */
export function countOfAll(lists: readonly IssueList[]): string {
	const sum = (of: (list: IssueList) => number) => lists.reduce((total, list) => total + of(list), 0);
	const [shown, loaded] = [sum(({ issues }) => issues.length), sum((list) => list.loaded)];
	const hasMore = lists.some((list) => list.hasMore);
	return `${counted(shown, loaded, hasMore)} loaded`;
}

/** Facts of a list and its connection, in a few words each; some are empty. */
export function groupFacts(list: IssueList, through: ReadingConnection): readonly (string | undefined)[] {
	const { isOutdated, unasked } = list;
	const { malformed = 0 } = list.listing;
	return [
		countOf(list),
		malformed > 0 ? `${inFigures(malformed)} could not be read` : "",
		troubleIn(list, through),
		isOutdated ? ageOf(list) : "",
		unasked.has("state") ? "closed ones cannot be asked for" : "",
		unasked.has("sort") && list.hasMore ? "sorted among those loaded" : "",
	];
}

function ageOf({ ageMs }: IssueList): string {
	return `as of ${msInWords(ageMs)} ago`;
}

function troubleIn({ state, loaded }: IssueList, { trouble }: ReadingConnection): string | undefined {
	// Also while it is tried again.
	return trouble ?? (state.failed !== undefined && loaded === 0 ? "cannot be read" : undefined);
}

/** Row above the issues of a repository. It names the connection if `isTwice`: it is read through another one too. */
export function issueGroupLook(
	list: IssueList,
	through: ReadingConnection,
	{ isTwice, isOpen }: { readonly isTwice: boolean; readonly isOpen: boolean },
): RowLook {
	const { repository } = list.repository;
	const { name, isGone } = through;
	const facts = groupFacts(list, through);
	const isNamed = isTwice || isGone;
	const isWell = !list.isOutdated && !isGone && troubleIn(list, through) === undefined;
	return {
		label: repository,
		description: joinParts([isNamed ? name : "", ...facts]),
		...(isWell ? { icon: "repo" } : WARNING),
		spoken: joinParts([`Issues of ${repository}`, isNamed ? `through ${name}` : "", ...facts], ", "),
		context: "group",
		opens: isOpen ? "open" : "closed",
	};
}

/** Row above the issues with a value in common. `hasMore` if others may be loaded. */
export function fieldGroupLook(
	{ name, issues }: IssueGroup,
	grouping: FieldGrouping,
	{ isOpen, hasMore }: { readonly isOpen: boolean; readonly hasMore: boolean },
): RowLook {
	const icon = { label: "tag", milestone: "milestone", assignee: "account", none: "issues" }[grouping];
	const description = counted(issues.length, issues.length, hasMore);
	const label = name || `No ${grouping}`;
	const spoken = `Issues with ${name === "" ? `no ${grouping}` : `${grouping} ${name}`}, ${description}`;
	return { label, description, icon, spoken, context: "grouped", opens: isOpen ? "open" : "closed" };
}

/** Row that names what it comes from, a repository or a connection, among those of several. */
export function withSource(name: string, look: RowLook): RowLook {
	const description = joinParts([name, look.description]);
	return { ...look, description, spoken: `${look.spoken}, ${name}` };
}

/** Row of a repository, which shows its issues in their own view. */
export function repositoryLook(list: IssueList, through: ReadingConnection, isNamed: boolean): RowLook {
	const look = issueGroupLook(list, through, { isTwice: isNamed, isOpen: false });
	const spoken = look.spoken.replace("Issues of", "Repository");
	const description = joinParts([...groupFacts(list, through), isNamed ? through.name : ""]);
	const command = { id: "switchboard.codehost.showIssues", title: "Show Issues" };
	return { ...look, description, spoken, context: "repository", opens: undefined, command };
}

/** In the browser, a window sees additions of other windows only after a reload. */
const GONE_WORDS: FailureWords = {
	title: "This repository's connection is not known in this window.",
	advice: "Reload the window if another one added it. Else choose another connection.",
	remedy: "none",
};

/** Reason why a list could not be loaded, at the epoch milliseconds `now`; undefined if it could. */
export function errorWords({ state, retryAt }: IssueList, { name, isGone }: ReadingConnection, now: number) {
	const { error } = state;
	if (isGone) return GONE_WORDS;
	if (error === undefined || error.code === "aborted") return undefined;
	return describeFailure(error, name, retryAt === null ? undefined : retryAt - now);
}

function issueErrorLook(words: FailureWords, { isGone }: ReadingConnection): RowLook {
	const look = errorLook(words, { id: "switchboard.codehost.retry", title: "Retry" });
	if (!isGone) return look;
	const command = { id: "switchboard.codehost.bindRepository", title: "Change Connection" };
	const spoken = `Error: ${words.title} ${words.advice} Both are in its menu.`;
	return { ...look, spoken, context: "unbound", command };
}

/** Row above outdated issues: the reason, or that they are loading; undefined for none. */
export function firstLook(list: IssueList, through: ReadingConnection, now: number): RowLook | undefined {
	if (!list.isOutdated) return undefined;
	const error = errorWords(list, through, now);
	if (error === undefined) return loadingLook("Loading the issues again");
	return issueErrorLook({ ...error, advice: `These are ${ageOf(list)}. ${error.advice}` }, through);
}

/** Row below the issues: as {@link endLook}, or why there are none; undefined for none. */
export function lastLook(list: IssueList, through: ReadingConnection, now: number): RowLook | undefined {
	const end = endLook(list, through, now);
	if (end !== undefined || list.issues.length > 0) return end;
	const { unasked, view, loaded } = list;
	if (unasked.has("state") && view.state === "closed") {
		return noteLook("Closed issues are not listed: this service cannot select them");
	}
	if (loaded > 0) return noteLook("No issue matches the filter");
	return noteLook(view.state === "all" ? "No issues" : `No ${view.state} issues`);
}

/** Row below the issues: their error, a way to load more, or why others are not listed; undefined for none. */
export function endLook(list: IssueList, through: ReadingConnection, now: number): RowLook | undefined {
	const { state, issues, hasMore, listing, isOutdated, isStopped } = list;
	if (list.untaken !== undefined) {
		return noteLook(
			list.untaken === ME ? "An app has no issues of its own" : `Not listed: this service takes no ${list.untaken}`,
		);
	}
	// That of a refresh stands above.
	const error = isOutdated && !through.isGone ? undefined : errorWords(list, through, now);
	if (error !== undefined) return issueErrorLook(error, through);
	const isFirst = issues.length === 0 && state.name === "loading";
	if (hasMore || isFirst || isStopped || state.name === "idle") return moreLook(list);
	return listing.halted === undefined ? undefined : noteLook(HALTED_WORDS[listing.halted]);
}

function moreLook({ state: { name }, loaded, isStopped }: IssueList): RowLook {
	const command = { id: "switchboard.codehost.loadMore", title: "Load More" };
	if (isStopped || name === "idle") {
		const description = "loading was stopped; select to load";
		const spoken = "Issues are not loaded: loading was stopped. Load them";
		return { label: "Not loaded", description, icon: "debug-pause", spoken, context: "more", command };
	}
	if (name === "loading") return loadingLook(loaded === 0 ? "Loading issues" : "Loading more issues");
	const description = `${inFigures(loaded)} loaded`;
	const spoken = `Load more issues, ${inFigures(loaded)} are loaded`;
	return { label: "Load More", description, icon: "fold-down", spoken, context: "more", command };
}

function inFigures(count: number): string {
	return count.toLocaleString("en");
}

/** Groupings of issues and their names. */
export const ISSUE_GROUPINGS: readonly (readonly [IssueGrouping, string])[] = [
	["repository", "By Repository"],
	["label", "By Label"],
	["milestone", "By Milestone"],
	["assignee", "By Assignee"],
	["none", "Not Grouped"],
];

/** The orders of issues and their names. */
export const ISSUE_SORTS: readonly (readonly [IssueSort, string])[] = [
	["service", "As the Service Lists Them"],
	["newest", "Newest First"],
	["oldest", "Oldest First"],
	["updated", "Recently Updated First"],
	["comments", "Most Discussed First"],
	["title", "By Title"],
];

/** True if a view hides more issues than the default. */
export function isFiltered({ text, state }: IssueView): boolean {
	return text !== DEFAULT_VIEW.text || state !== DEFAULT_VIEW.state;
}

/** Description of the view: filter, order and grouping, if not the default. */
export function headOf({ text, state, sort, query, group }: IssueView): string {
	const order = ISSUE_SORTS.find(([name]) => name === sort)?.[1].toLowerCase() ?? "";
	const grouped = group === "none" ? "not grouped" : `grouped by ${group}`;
	return joinParts([
		query === DEFAULT_VIEW.query ? "" : query.name,
		text === DEFAULT_VIEW.text ? "" : `"${text}"`,
		state === DEFAULT_VIEW.state ? "" : state,
		sort === DEFAULT_VIEW.sort ? "" : order,
		group === DEFAULT_VIEW.group ? "" : grouped,
	]);
}

/** Shortest wait that is shown. Milliseconds. */
const SHORTEST_MS = 500;

/** Wait that ends first among the connections of loading lists; undefined for none. */
export function waitedFor({ loading }: Pick<IssueLists, "loading">, statuses: CodehostStatuses, now: number) {
	if (loading.length === 0) return undefined;
	const [first] = statuses
		.list()
		.filter(({ connection }) => loading.some(({ repository }) => repository.connection === connection))
		.flatMap(({ label, wait }) => (wait === null ? [] : [{ label, wait }]))
		.sort((a, b) => a.wait.until - b.wait.until);
	return first !== undefined && first.wait.until - now >= SHORTEST_MS ? first : undefined;
}

/** Row of an issue, with the words of the filter marked. */
export const issueLook = looksOf((issue: Issue): RowLook => {
	const label = `#${issue.number} ${issueTitle(issue)}`;
	const labels = plainNames(issue.labels);
	const author = plainLine(issue.author);
	const { isPullRequest, state } = issue;
	const isClosed = isClosedIssue(issue);
	const kind = isPullRequest ? "pull request" : "issue";
	const words = `${state === null ? kind : `${isClosed ? "Closed" : "Open"} ${kind}`} ${issue.number}`;
	const about = [author && `by ${author}`, ...labels];
	return {
		label,
		description: labels.length > 0 ? labels.join(" · ") : author,
		icon: isPullRequest ? `git-pull-request${isClosed ? "-closed" : ""}` : isClosed ? "issue-closed" : "issues",
		color: state === null ? undefined : isClosed ? "charts.purple" : "charts.green",
		spoken: joinParts([`${words}: ${issueTitle(issue)}`, ...about], ", "),
		context: webAddress(issue.htmlUrl) === undefined ? "issue" : "issue.linked",
		command: { id: "switchboard.codehost.openIssue", title: "Open Issue" },
	};
});

/** Row of an issue among those of several repositories. */
export const foundIssueLook = looksOf(({ repository, issue }: FoundIssue): RowLook => {
	const look = withSource(repository.repository, issueLook(issue, ""));
	// A narrow view shows no descriptions.
	return { ...look, label: `${repository.repository.split("/").at(-1)}${look.label}` };
});

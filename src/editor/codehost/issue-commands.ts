import * as vscode from "vscode";
import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import { DEFAULT_VIEW, type IssueView } from "#app/codehost/issue-list.ts";
import { ALL_ISSUES, ISSUE_PARAMETERS, isAbout, type SavedQuery, STATES } from "#app/codehost/issue-queries.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import { listIssues } from "#app/codehost/results.ts";
import { webAddress } from "#app/codehost/web-address.ts";
import { CONTEXT, HAS, ISSUE_PAGE, VIEWS } from "#app/contributions.ts";
import { parseFilter, printFilter } from "#app/kit/filter.ts";
import type { SettingKey } from "#app/settings.ts";
import { invalid } from "#base/errors.ts";
import { allOptional, integer, number, oneOf, optional, text, trimmed } from "#base/schema.ts";
import {
	type Call,
	commandsOf,
	givenIn,
	inSubmenu,
	inTitle,
	type MenuEntry,
	onRows,
	readGiven,
	runOn,
	showing,
} from "../kit/command.ts";
import { leaving } from "../kit/leaving.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askText, choose, type PromptFrame } from "../kit/prompts.ts";
import { Row } from "../kit/rows.ts";
import { joinParts } from "../kit/text.ts";
import { NAMED_REPOSITORY, pickRepository, repositoryIn, repositoryOf } from "./chosen-repository.ts";
import type { RepositoryRoom } from "./codehost.ts";
import { issueAddress } from "./issue-documents.ts";
import { ISSUE_GROUPINGS, ISSUE_SORTS } from "./issue-list-look.ts";
import { issueLink, wholeTitleOf } from "./issue-text.ts";
import { revealRepository } from "./issues-tree.ts";

/** Rooms used to find issues. */
export type IssueRoom = Pick<RepositoryRoom, "registry" | "repositories" | "lists" | "documents">;

const define = commandsOf<RepositoryRoom>({ service: "codehost", palette: false });

/** Fields that name an issue in arguments and rows. */
export const ISSUE = { ...NAMED_REPOSITORY, number: integer({ min: 1 }) };

const inIssues = (group: string, condition?: string) => inTitle(VIEWS.issues, group, condition);
const onIssues = (...groups: readonly string[]) =>
	onRows(VIEWS.issues, "=~ /^issue\\b/ && !listMultiSelection", ...groups);
const onLinked = (...groups: readonly string[]) =>
	onRows(VIEWS.issues, "=~ /^issue\\b.*\\blinked\\b/ && !listMultiSelection", ...groups);
const onPage = (group: string): MenuEntry => ({
	menu: "editor/title",
	when: `activeCustomEditorId == ${ISSUE_PAGE}`,
	group,
});

/** Commands about issues. */
export const ISSUE_COMMANDS = [
	define("switchboard.codehost.listIssues", "List Issues", {
		input: {
			connection: trimmed(),
			repository: trimmed(),
			query: optional(ISSUE_PARAMETERS),
			limit: optional(number()),
		},
		gives: ["{issues, pages, requests, complete, ignored, malformed?, halted?, total?}"],
		run({ argument }, parts) {
			if (argument === undefined) throw invalid("codehost", "repository", "is missing");
			parts.registry.require(argument.connection, "codehost");
			return listIssues(parts.clients, argument);
		},
	}),
	define("switchboard.codehost.showIssues", "Show Issues", {
		palette: HAS.codehost,
		menus: [onRows(VIEWS.repositories, "== repository", "1_use@1")],
		input: NAMED_REPOSITORY,
		gives: ["{connection, repository}"],
		run: runOn(repositoryOf, showIssues),
	}),
	define("switchboard.codehost.refreshIssues", "Refresh Issues", {
		palette: CONTEXT.hasRepositories,
		icon: "refresh",
		menus: [
			inIssues("navigation@4"),
			inTitle(VIEWS.repositories, "navigation@2"),
			onRows(VIEWS.issues, "== group", "inline@1", "1_use@1"),
		],
		input: allOptional(NAMED_REPOSITORY),
		gives: ["{ok}"],
		async run(call, { lists, repositories }) {
			const { repository, connection } = givenIn(call) ?? {};
			const of = repository === undefined ? lists : lists.shown(repositoryIn({ repository, connection }, repositories));
			return { ok: await of.refresh() };
		},
	}),
	define("switchboard.codehost.chooseQuery", "Choose Issue Query...", {
		icon: "list-selection",
		menus: [inIssues("navigation@1")],
		input: { query: trimmed() },
		gives: ["{query}"],
		async run({ argument }, parts) {
			const query = argument === undefined ? await askQuery(parts) : parts.lists.query(argument.query);
			if (query !== undefined) return { query: change(parts, { query }).query.name };
			if (argument === undefined) return undefined;
			throw invalid("codehost", "query", "is not the name of a query");
		},
	}),
	define("switchboard.codehost.filterIssues", "Filter Issues...", {
		palette: CONTEXT.hasRepositories,
		icon: "filter",
		menus: [inIssues("navigation@2")],
		input: { text: optional(text()), state: optional(oneOf(...STATES)) },
		gives: ["{text, state}"],
		async run({ argument }, parts) {
			const before = parts.lists.view;
			if (argument !== undefined) {
				const { text = before.text, state = before.state } = argument;
				return change(parts, { text: text.trim(), state });
			}
			const answer = await askText({
				title: "Filter Issues",
				placeholder: "bell is:closed",
				prompt: "Words in the title, number, labels or author. Add is:closed or is:all for issues that are not open.",
				value: printFilter(before.text, { is: before.state === "open" ? [] : [before.state] }),
				check: (typed) => (readFilter(typed) === undefined ? "Write open, closed or all after is:." : undefined),
			});
			const filter = typeof answer === "string" ? readFilter(answer) : undefined;
			return filter && change(parts, filter);
		},
	}),
	define("switchboard.codehost.clearFilter", "Clear Issue Filter", {
		palette: CONTEXT.filtered,
		menus: [inIssues("1_filter@1", CONTEXT.filtered)],
		gives: ["{text, state}"],
		run: (_, parts) => change(parts, { text: DEFAULT_VIEW.text, state: DEFAULT_VIEW.state }),
	}),
	define("switchboard.codehost.sortIssues", "Sort Issues...", {
		palette: CONTEXT.hasRepositories,
		menus: [inIssues("1_filter@3", CONTEXT.hasRepositories)],
		input: { sort: oneOf(...ISSUE_SORTS.map(([value]) => value)) },
		gives: ["{sort}"],
		async run({ argument }, parts) {
			const frame = { title: "Sort Issues", placeholder: "Sort issues by" };
			const sort = argument?.sort ?? (await chooseNamed(frame, ISSUE_SORTS, parts.lists.view.sort));
			return sort && change(parts, { sort });
		},
	}),
	define("switchboard.codehost.groupIssues", "Group Issues...", {
		menus: [inIssues("1_filter@2", CONTEXT.hasRepositories)],
		input: { group: oneOf(...ISSUE_GROUPINGS.map(([value]) => value)) },
		gives: ["{group}"],
		async run({ argument }, parts) {
			const frame = { title: "Group Issues", placeholder: "Group issues by" };
			const group = argument?.group ?? (await chooseNamed(frame, ISSUE_GROUPINGS, parts.lists.view.group));
			return group && change(parts, { group });
		},
	}),
	define("switchboard.codehost.stopLoading", "Stop Loading", {
		icon: "stop-circle",
		menus: [inIssues("navigation@0", CONTEXT.loading)],
		gives: ["{stopped}"],
		run(_, { lists: { loading } }) {
			for (const list of loading) list.cancel();
			return { stopped: loading.length > 0 };
		},
	}),
	define("switchboard.codehost.loadMore", "Load More Issues", {
		menus: [onRows(VIEWS.issues, "== more", "1_more@1")],
		input: NAMED_REPOSITORY,
		gives: ["{loaded, complete, halted?}"],
		run: runOn(repositoryOf, async (repository, call, { lists }) => {
			const issues = lists.shown(repository);
			await issues.loadMore();
			if (call.argument !== undefined && issues.state.error !== undefined) throw issues.state.error;
			// A list is incomplete after a sign-out and after links that could not be followed.
			const { loaded, hasMore, listing, state } = issues;
			const { halted } = listing;
			const complete = state.name === "ready" && halted === undefined && !hasMore;
			return { loaded, complete, ...(halted === undefined ? {} : { halted }) };
		}),
	}),
	define("switchboard.codehost.retry", "Retry", {
		icon: "refresh",
		menus: [onRows(VIEWS.issues, "=~ /^error/", "inline@1", "1_retry@1")],
		input: NAMED_REPOSITORY,
		gives: ["{ok}"],
		run: runOn(repositoryOf, async (repository, _, { lists, repositories }) => {
			const list = lists.shown(repository);
			if (list.state.error?.reason !== "moved") return { ok: await list.retry() };
			await repositories.bind(repository, repository.connection);
			return { ok: true };
		}),
	}),
	define("switchboard.codehost.openIssue", "Open Issue", {
		palette: HAS.codehost,
		menus: [onIssues("1_open@1")],
		input: ISSUE,
		gives: ["{number, title}"],
		opensRow: true,
		run: runOn(issueOf, async (found, call) => {
			const options = { preview: true, ...showing(call) };
			await vscode.commands.executeCommand("vscode.openWith", issueAddress(found), ISSUE_PAGE, options);
			return { number: found.issue.number, title: found.issue.title };
		}),
	}),
	define("switchboard.codehost.openIssueSource", "Open Issue Source to the Side", {
		icon: "go-to-file",
		menus: [onPage("navigation@2")],
		input: ISSUE,
		gives: ["{number}"],
		run: runOn(issueOf, async (found) => {
			await vscode.window.showTextDocument(issueAddress(found), { viewColumn: vscode.ViewColumn.Beside });
			return { number: found.issue.number };
		}),
	}),
	define("switchboard.codehost.openIssueInBrowser", "Open Issue in Browser", {
		icon: "link-external",
		menus: [onLinked("inline@2", "1_open@2"), onPage("navigation@1")],
		input: ISSUE,
		gives: ["{url}"],
		run: runOn(issueOf, async (found) => {
			const url = addressOf(found);
			await vscode.env.openExternal(vscode.Uri.parse(url, true));
			return { url };
		}),
	}),
	...(
		[
			["Number", "Number", "issue\\b", ({ issue }) => `#${issue.number}`],
			["Title", "Title", "issue\\b", ({ issue }) => wholeTitleOf(issue)],
			["Link", "Link", "issue\\b.*\\blinked\\b", addressOf],
			["MarkdownLink", "as Markdown Link", "issue\\b.*\\blinked\\b", issueLink],
		] as readonly [string, string, string, (found: FoundIssue) => string][]
	).map(([part, words, kind, textOf], at) =>
		define(`switchboard.codehost.copyIssue${part}`, `Copy Issue ${words}`, {
			menus: [inSubmenu("switchboard.codehost.copy", `1_issue@${at}`, `=~ /^${kind}/`)],
			input: ISSUE,
			gives: ["{copied}"],
			async run(call, parts, title) {
				const copied = await linesOf(call, parts, title, textOf);
				if (copied === "") return undefined;
				await vscode.env.clipboard.writeText(copied);
				return { copied };
			},
		}),
	),
];

/** Issue of a call: of its row, or with a number that the person enters. */
export async function issueOf(call: Call, parts: IssueRoom, title: string): Promise<FoundIssue | undefined> {
	const { documents, repositories } = parts;
	const given = readGiven(call, ISSUE, "codehost");
	const look = call.argument === undefined ? documents.search : documents.find;
	if (given !== undefined) return look(repositoryIn(given, repositories), given.number);
	const repository = await pickRepository(parts, title, call);
	if (repository === undefined) return undefined;
	const answer = await askText({
		title,
		placeholder: "12",
		prompt: `Issue number in ${repository.repository}`,
		check: (typed) => (/^#?\d{1,12}$/.test(typed.trim()) ? undefined : "Enter the number of an issue."),
	});
	if (typeof answer !== "string") return undefined;
	return documents.search(repository, Number(answer.trim().replace("#", "")));
}

/** Texts of the issues of selected rows, or of the one that a call is about, a line each; empty for none. */
async function linesOf(call: Call, parts: IssueRoom, title: string, textOf: (found: FoundIssue) => string) {
	const rows = call.rows?.filter(({ fields }) => "number" in fields) ?? [call.row];
	const found = await Promise.all(rows.map((row) => issueOf({ ...call, row }, parts, title)));
	// Redacted before rendering too: in Markdown the characters of a secret may be escaped.
	const texts = found.flatMap((each) => (each === undefined ? [] : textOf(leaving(each))));
	// An issue may be selected in several groups.
	return leaving([...new Set(texts)].join("\n"));
}

/** Markdown links to the issues among dragged rows; empty for none. */
export function draggedLinks(rows: readonly object[], parts: IssueRoom): Promise<string> {
	const call = { argument: undefined, row: undefined, rows: rows.filter((row) => row instanceof Row) };
	return linesOf(call, parts, "", issueLink);
}

/** Lets the person choose a query, or leads them to the settings, where they write their own. */
async function askQuery({ lists }: RepositoryRoom): Promise<SavedQuery | undefined> {
	const rows = lists.queries.map((value) => {
		const active = value.name === lists.view.query.name;
		const description = withoutIcons(joinParts([active ? "current" : "", value.repositories?.join(", ")]));
		return { label: withoutIcons(value.name), description, active, value };
	});
	const edit = { label: "$(gear) Edit saved queries", value: "edit" } as const;
	const frame = { title: "Choose Issue Query", placeholder: "Which query?" };
	const query = await choose<SavedQuery | "edit">(frame, [...rows, edit]);
	if (query !== "edit") return query;
	const key = "switchboard.codeHost.queries" satisfies SettingKey;
	await vscode.commands.executeCommand("workbench.action.openSettings", key);
	return undefined;
}

async function showIssues(repository: AddedRepository, _: Call, { issuesTree, lists }: RepositoryRoom) {
	if (!isAbout(lists.view.query, repository)) await lists.show({ query: ALL_ISSUES }, { isPassing: true });
	await vscode.commands.executeCommand(`${VIEWS.issues}.focus`);
	await revealRepository(issuesTree, lists, repository);
	return { ...repository };
}

/** Parses the filter box: words, `is:closed` or `state:closed`; undefined for an unknown state. */
function readFilter(typed: string): Pick<IssueView, "text" | "state"> | undefined {
	const { text, valuesOf } = parseFilter(typed, "is", "state");
	const wanted = valuesOf("is", "state").at(-1)?.toLowerCase() ?? "open";
	const state = STATES.find((each) => each === wanted);
	return state && { text, state };
}

function chooseNamed<T extends string>(frame: PromptFrame, all: readonly (readonly [T, string])[], current: T) {
	const rows = all.map(([value, label]) => ({ label, value, description: value === current ? "current" : "" }));
	return choose(frame, rows);
}

/** Changes a part of the view, and returns that part. */
function change<P extends Partial<IssueView>>({ lists, issuesTree }: RepositoryRoom, part: P): P {
	lists.show(part);
	issuesTree.refresh();
	return part;
}

function addressOf({ issue }: FoundIssue): string {
	const url = webAddress(issue.htmlUrl);
	if (url === undefined) throw invalid("codehost", "number", `${issue.number} has no address: the service tells none`);
	return url;
}

import * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import { type FieldGrouping, type FoundIssue, issueGrouper } from "#app/codehost/issue-groups.ts";
import type { IssueList } from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { isAbout } from "#app/codehost/issue-queries.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { unseenIssues } from "#app/codehost/unseen-issues.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import { systemClock } from "#base/clock.ts";
import { describeWait } from "../kit/error-words.ts";
import { chunked, type RowLook, type RowParts } from "../kit/rows.ts";
import { joinParts } from "../kit/text.ts";
import { Tree, type TreeShell, wordsCard } from "../kit/tree.ts";
import { type ReadingConnection, readingConnection } from "../words/codehost-words.ts";
import {
	countOfAll,
	endLook,
	fieldGroupLook,
	firstLook,
	foundIssueLook,
	headOf,
	isFiltered,
	issueGroupLook,
	issueLook,
	lastLook,
	waitedFor,
	withSource,
} from "./issue-list-look.ts";
import { issueHover } from "./issue-page.ts";
import { repositoryCard } from "./repositories-tree.ts";
import type { StartedIssues } from "./started-issues.ts";

/** Issues that are revealed with their repository. */
const GLIMPSE = 10;

/** Tree of issues by repository or by a field, a hundred of each repository at a time. */
export function treeOfIssues(
	shell: TreeShell,
	repositories: Repositories,
	lists: IssueLists,
	statuses: CodehostStatuses,
	started: StartedIssues,
	unseen: ReturnType<typeof unseenIssues>,
): Tree {
	const { registry, clock } = repositories.clients.parts;
	const now = () => clock.now();
	const groupsOf = issueGrouper();
	const shown = () => repositories.list().filter((each) => isAbout(lists.view.query, each));

	function load(list: IssueList, { isGone }: ReadingConnection): void {
		// Without its connection there is nothing to load from.
		if (list.state.name === "idle" && !isGone && list.untaken === undefined) void list.load();
	}

	function rowOf({ repository, issue }: FoundIssue, look: RowLook): RowParts {
		const current = started.current();
		const isCurrent = current?.number === issue.number && repositoryKey(current) === repositoryKey(repository);
		const mark = { description: "working on this", context: `${look.context}.current` };
		return {
			key: `${repositoryKey(repository)}#${issue.number}`,
			fields: { ...repository, number: issue.number },
			look: isCurrent ? { ...look, ...mark } : look,
			card: () => issueCard(issue, repository),
		};
	}

	function groupRow(repository: AddedRepository, index: number): RowParts {
		const list = lists.shown(repository);
		const through = readingConnection(repository, { registry, statuses });
		const fields = { ...repository };
		return {
			key: repositoryKey(repository),
			fields,
			look: issueGroupLook(list, through, {
				isTwice: repositories.labelAmongTwins(repository) !== "",
				isOpen: index === 0,
			}),
			card: () => repositoryCard(list, through, now()),
			children() {
				load(list, through);
				const first = firstLook(list, through, now());
				// One row for all that may stand there, so that it keeps the focus.
				const last = lastLook(list, through, now());
				const row = (issue: Issue) => rowOf({ repository, issue }, issueLook(issue, lists.view.text));
				const end = last && { key: "end", fields, look: last };
				const rows = chunked({ noun: "Issues", items: list.issues, row, last: end, fields });
				return first === undefined ? rows : [{ key: "head", fields, look: first }, ...rows];
			},
		};
	}

	/** Rows of all repositories together: issues by a field, between what there is to say of each list. */
	function fieldRows(grouping: FieldGrouping): readonly RowParts[] {
		const { text, sort } = lists.view;
		const all = shown().map((repository) => {
			const through = readingConnection(repository, { registry, statuses });
			const list = lists.shown(repository);
			load(list, through);
			return { repository, list, through };
		});
		const isOne = all.length === 1;
		const labels = new Map(
			all.map(({ repository: each }) => [repositoryKey(each), repositories.labelAmongTwins(each)]),
		);
		const named = (look: RowLook, repository: AddedRepository) => {
			const label = labels.get(repositoryKey(repository));
			return label ? withSource(label, look) : look;
		};
		const said = (kind: string, lookOf: typeof endLook) =>
			all.flatMap(({ repository, list, through }) => {
				const look = lookOf(list, through, now());
				if (look === undefined) return [];
				const key = `${kind} ${repositoryKey(repository)}`;
				const own = isOne ? look : named(withSource(repository.repository, look), repository);
				return [{ key, fields: { ...repository }, look: own }];
			});
		const lookOf = (found: FoundIssue) => (isOne ? issueLook(found.issue, text) : foundIssueLook(found, text));
		const row = (found: FoundIssue) => rowOf(found, named(lookOf(found), found.repository));
		const listed = all.map(({ list }) => list);
		const hasMore = listed.some((list) => list.hasMore);
		const groupRows = groupsOf(listed, sort, grouping).flatMap((group, _, { length }): readonly RowParts[] => {
			const children = () => chunked({ noun: "Issues", items: group.issues, row, last: undefined });
			if (grouping === "none") return children();
			const look = fieldGroupLook(group, grouping, { isOpen: length === 1, hasMore });
			const count = `${group.issues.length} loaded${hasMore ? ". More may be among the issues that are not loaded." : ""}`;
			return [{ key: `group ${group.key}`, look, card: () => wordsCard(look.label, count), children }];
		});
		const rows = [...said("head", firstLook), ...groupRows, ...said("end", endLook)];
		return rows.length > 0 ? rows : said("end", lastLook);
	}

	return new Tree(shell, {
		changes: [repositories.onDidChange, lists.onDidChange, statuses.onDidChange, started.onDidChange],
		roots: () => (lists.view.group === "repository" ? shown().map(groupRow) : fieldRows(lists.view.group)),
		ends: () => [
			...shown().map((each) => lists.shown(each).retryAt),
			waitedFor(lists, statuses, now())?.wait.until ?? null,
		],
		head() {
			const waited = waitedFor(lists, statuses, now());
			const isEmpty = shown().length === 0 && repositories.list().length > 0;
			const none = isEmpty ? "This query names no added repository. Choose another query, or add the repository." : "";
			const news = unseen(shell.view.visible);
			const tooltip = `${news} new or updated ${news === 1 ? "issue" : "issues"}`;
			const count = lists.view.group === "repository" ? "" : countOfAll(shown().map((each) => lists.shown(each)));
			return {
				description: joinParts([headOf(lists.view), count]),
				message: waited === undefined ? none : describeWait(waited.wait, { label: waited.label, now: now() }),
				contexts: { [CONTEXT.filtered]: isFiltered(lists.view), [CONTEXT.loading]: lists.loading.length > 0 },
				badge: news === 0 ? undefined : { value: news, tooltip },
				busy: lists.loading.length > 0 ? VIEWS.issues : undefined,
			};
		},
	});
}

/** Reveals a repository, expanded, with its first issues once they are loaded. */
export async function revealRepository(tree: Tree, lists: IssueLists, repository: AddedRepository): Promise<void> {
	if (lists.view.group !== "repository") await lists.show({ group: "repository" }, { isPassing: true });
	const row = tree.row(repositoryKey(repository));
	if (row === undefined) return;
	const list = lists.shown(repository);
	const glimpse = () => row.below?.slice(0, GLIMPSE).at(-1);
	const areThere = list.loaded > 0;
	await tree.reveal(row, glimpse);
	if (areThere) return;
	const { view } = tree.shell;
	// The person may have moved on: the focus stays where it is.
	void list.load().then(() => {
		if (view.visible && view.selection.includes(row)) void tree.reveal(row, glimpse, { focus: false });
	});
}

/** Hover of an issue. It is not trusted, and has the HTML that {@link issueHover} leaves. */
export function issueCard(issue: Issue, repository: AddedRepository): vscode.MarkdownString {
	const card = new vscode.MarkdownString(issueHover({ repository, issue }, systemClock.now()));
	return Object.assign(card, { supportHtml: true });
}

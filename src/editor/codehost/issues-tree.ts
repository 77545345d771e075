import type { Issue } from "#api/codehost/model.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import { excerpt } from "#base/excerpt.ts";
import { chunked, loadingLook, type RowLook, type RowParts, titled, WARNING } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import { Card, errorCard, Tree, type TreeShell } from "../kit/tree.ts";
import { describeWait } from "../kit/words.ts";
import {
	endLook,
	errorWords,
	groupFacts,
	headOf,
	isFiltered,
	issueErrorLook,
	issueGroupLook,
	issueLook,
	moreLook,
	waitedFor,
} from "./issue-list-look.ts";
import { issueFacts, issueTitle } from "./issue-text.ts";
import { readingConnection } from "./words.ts";

/** Number of issues that are brought into sight with their repository, where the view has the room. */
const GLIMPSE = 10;

/** Characters of a body that a card shows. */
const BODY_IN_CARD = 400;

/** Tree of the issues of each repository that was added, a hundred at a time. */
export function treeOfIssues(
	shell: TreeShell,
	repositories: Repositories,
	lists: IssueLists,
	statuses: CodehostStatuses,
): Tree {
	const { registry, clock } = repositories.clients.parts;
	const now = () => clock.now();
	/** Rows of issues, the same while an issue and its look are. */
	const known = new WeakMap<Issue, RowParts>();

	function groupRow(repository: AddedRepository, index: number): RowParts {
		const list = lists.of(repository);
		const through = readingConnection(repository, { registry, statuses });
		const alike = repositories.list().filter((each) => each.repository === repository.repository);
		const group = { repository: repository.repository, through, isTwice: alike.length > 1 };
		const fields = { ...repository };
		const words = () => errorWords(list, through, clock.now());
		const cardOfError = () => {
			const error = words();
			return error && errorCard(error);
		};
		const end = (): RowParts | undefined => {
			const { state, hasMore, issues, halted, isOutdated, isStopped } = list;
			const isFailed = state.name === "failed" && !isOutdated;
			if (!isFailed && state.name !== "idle" && !hasMore && issues.length > 0 && halted === undefined) return undefined;
			const error = through.isGone || (isFailed && !isStopped) ? words() : undefined;
			const look = error
				? issueErrorLook(error, through)
				: hasMore || state.name !== "ready"
					? moreLook(list)
					: endLook(list);
			// One row for all that may stand there, so that it keeps the focus.
			return { key: "end", fields, look, card: cardOfError };
		};
		return {
			key: repositoryKey(repository),
			fields,
			look: issueGroupLook(list, group, { isOpen: index === 0 }),
			card: () =>
				cardOfError() ??
				// The whole description is longer than many a sidebar is wide.
				new Card()
					.title(group.repository)
					.fact("Issues", groupFacts(list, group).join(" · "))
					.fact("Read through", through.name).markdown,
			children() {
				// Without its connection there is nothing to load from.
				if (list.state.name === "idle" && !through.isGone) void list.load();
				const row = (issue: Issue) => issueRow(repository, issue);
				const rows = chunked({ noun: "Issues", items: list.issues, row, last: end(), fields });
				if (!list.isOutdated) return rows;
				const error = list.state.name === "failed" ? words() : undefined;
				const look = error ? issueErrorLook(error, through) : loadingLook("Loading the issues again");
				return [{ key: "head", fields, look, card: cardOfError }, ...rows];
			},
		};
	}

	function issueRow(repository: AddedRepository, issue: Issue): RowParts {
		const look = issueLook(issue, lists.view.text);
		const before = known.get(issue);
		if (before?.look === look) return before;
		const row: RowParts = {
			key: String(issue.number),
			fields: { ...repository, number: issue.number },
			look,
			card() {
				const card = new Card()
					.title(`#${issue.number} ${issueTitle(issue)}`)
					.fact("Repository", repository.repository);
				card.facts(issueFacts(issue));
				const body = plainLine(excerpt(issue.body ?? "", BODY_IN_CARD));
				if (body !== "") card.rule().text(body);
				return card.markdown;
			},
		};
		known.set(issue, row);
		return row;
	}

	return new Tree(shell, {
		changes: [repositories.onDidChange, registry.onDidChange, lists.onDidChange, statuses.onDidChange],
		roots: () => repositories.list().map(groupRow),
		ends: () => [
			...repositories.list().map((each) => lists.of(each).retryAt),
			waitedFor(lists, statuses, now())?.wait.until ?? null,
		],
		head() {
			const waited = waitedFor(lists, statuses, now());
			return {
				description: headOf(lists.view),
				message: waited === undefined ? "" : describeWait(waited.wait, { label: waited.label, now: now() }),
				contexts: { [CONTEXT.filtered]: isFiltered(lists.view), [CONTEXT.loading]: lists.loading.length > 0 },
				busy: lists.loading.length > 0 ? VIEWS.issues : undefined,
			};
		},
	});
}

/** Brings a repository into sight, opened, with the first of its issues; those that still load, once they are there. */
export async function revealRepository(tree: Tree, lists: IssueLists, repository: AddedRepository): Promise<void> {
	const row = tree.row(repositoryKey(repository));
	if (row === undefined) return;
	const list = lists.of(repository);
	const glimpse = () => row.below?.slice(0, GLIMPSE).at(-1);
	const areThere = list.loaded > 0;
	await tree.reveal(row, glimpse);
	if (areThere) return;
	const { view } = tree.shell;
	// By then the person may be at something else: the keyboard stays there.
	void list.load().then(() => {
		if (view.visible && view.selection.includes(row)) void tree.reveal(row, glimpse, { focus: false });
	});
}

/** Tree of the repositories that were added, each with its issues and the credential it is read with. */
export function treeOfRepositories(
	shell: TreeShell,
	repositories: Repositories,
	lists: IssueLists,
	statuses: CodehostStatuses,
): Tree {
	const { registry } = repositories.clients.parts;

	function repositoryRow(repository: AddedRepository): RowParts {
		const { name, isGone, trouble } = readingConnection(repository, { registry, statuses });
		const isOne = registry.list("codehost").length === 1;
		const through = !isGone && isOne ? undefined : name;
		const fields = { ...repository };
		const who = isGone ? "" : (trouble ?? plainLine(statuses.of(repository.connection).whoAmI));
		return {
			key: repositoryKey(repository),
			fields,
			look: {
				label: repository.repository,
				description: [through, trouble].filter((part) => part !== undefined).join(" · "),
				...(isGone || trouble !== undefined ? WARNING : { icon: "repo" }),
				spoken: [`Repository ${repository.repository}, through ${name}`, trouble]
					.filter((part) => part !== undefined)
					.join(", "),
				context: "repository",
				opens: "closed",
			},
			card: () => new Card().title(repository.repository).fact("Read through", name).fact("As", who).markdown,
			children: () => [
				{ key: "issues", fields, look: issuesLook(repository) },
				{
					key: "credential",
					fields,
					look: {
						...titled("Credential", who === "" ? name : `${who} · ${name}`),
						icon: "key",
						context: "repositoryCredential",
						command: { id: "switchboard.showConnection", title: "Show Connection" },
					},
				},
			],
		};
	}

	function issuesLook(repository: AddedRepository): RowLook {
		const { loaded, hasMore, state, isStopped } = lists.of(repository);
		const count = loaded === 0 && state.name !== "ready" ? "not loaded yet" : `${loaded}${hasMore ? "+" : ""}`;
		const description = state.name === "failed" && !isStopped ? "could not be loaded" : count;
		return {
			...titled("Issues", description),
			icon: "issues",
			context: "repositoryIssues",
			command: { id: "switchboard.codehost.showIssues", title: "Show Issues" },
		};
	}

	return new Tree(shell, {
		changes: [repositories.onDidChange, registry.onDidChange, lists.onDidChange, statuses.onDidChange],
		roots: () => repositories.list().map(repositoryRow),
	});
}

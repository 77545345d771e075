import type { IssueList } from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { CONTEXT } from "#app/contributions.ts";
import type { RowParts } from "../kit/rows.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { Card, Tree, type TreeShell } from "../kit/tree.ts";
import { type ReadingConnection, readingConnection } from "../words/codehost-words.ts";
import { errorWords, groupFacts, repositoryLook } from "./issue-list-look.ts";

/** Tree of repositories: the state of each, whose issues are in a view of their own. */
export function treeOfRepositories(
	shell: TreeShell,
	repositories: Repositories,
	lists: IssueLists,
	statuses: CodehostStatuses,
): Tree {
	const { registry, clock } = repositories.clients.parts;

	function repositoryRow(repository: AddedRepository): RowParts {
		const through = readingConnection(repository, { registry, statuses });
		const { isGone, trouble } = through;
		const list = lists.of(repository);
		const isIdle = list.state.name === "idle" && !isGone && trouble === undefined;
		// One page of issues says whether it can be read, once somebody looks and while the limit is not near.
		if (isIdle && shell.view.visible && !statuses.of(repository.connection).rate?.low) void list.load();
		return {
			key: repositoryKey(repository),
			fields: { ...repository },
			look: repositoryLook(list, through, isGone || registry.list("codehost").length > 1),
			card: () => repositoryCard(list, through, clock.now()),
		};
	}

	return new Tree(shell, {
		changes: [repositories.onDidChange, lists.onDidChange, statuses.onDidChange],
		roots: () => repositories.list().map(repositoryRow),
		head: () => ({ contexts: { [CONTEXT.hasRepositories]: repositories.areRead } }),
	});
}

/** Tooltip of a repository: what is known of its issues, who reads it, and the reason why they could not be loaded. */
export function repositoryCard(list: IssueList, through: ReadingConnection, now: number) {
	const who = plainLine(through.whoAmI);
	const error = errorWords(list, through, now);
	const card = new Card().title(list.repository.repository).fact("Issues", joinParts(groupFacts(list, through)));
	card.fact("Read through", joinParts([through.name, who && `as ${who}`], ", "));
	return (error === undefined ? card : card.rule().text(`${error.title} ${error.advice}`)).markdown;
}

import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { CONTEXT } from "#app/contributions.ts";
import { noteLook, type RowParts, WARNING } from "../kit/rows.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { Card, Tree, type TreeShell } from "../kit/tree.ts";
import { readingConnection } from "../words/codehost-words.ts";
import { countOf } from "./issue-list-look.ts";

/** Tree of repositories, with their issues and credentials. */
export function treeOfRepositories(
	shell: TreeShell,
	repositories: Repositories,
	lists: IssueLists,
	statuses: CodehostStatuses,
): Tree {
	const { registry } = repositories.clients.parts;

	function repositoryRow(repository: AddedRepository): RowParts {
		const { name, isGone, trouble } = readingConnection(repository, { registry, statuses });
		const isOnly = !isGone && registry.list("codehost").length === 1;
		const who = isGone ? "" : (trouble ?? plainLine(statuses.of(repository.connection).whoAmI));
		const fields = { ...repository };
		const list = lists.of(repository);
		const isFailed = list.state.name === "failed" && !list.isStopped;
		const loaded = isFailed ? "could not be loaded" : countOf(list) || "not loaded yet";
		const showIssues = { id: "switchboard.codehost.showIssues", title: "Show Issues" };
		const showConnection = { id: "switchboard.showConnection", title: "Show Connection" };
		return {
			key: repositoryKey(repository),
			fields,
			look: {
				label: repository.repository,
				description: joinParts([isOnly ? "" : name, trouble]),
				...(isGone || trouble !== undefined ? WARNING : { icon: "repo" }),
				spoken: joinParts([`Repository ${repository.repository}, through ${name}`, trouble], ", "),
				context: "repository",
				opens: "closed",
			},
			card: () => new Card().title(repository.repository).fact("Read through", name).fact("As", who).markdown,
			children: () => [
				{ key: "issues", fields, look: noteLook("Issues", loaded, "issues", showIssues) },
				{ key: "credential", fields, look: noteLook("Credential", joinParts([who, name]), "key", showConnection) },
			],
		};
	}

	return new Tree(shell, {
		changes: [repositories.onDidChange, lists.onDidChange, statuses.onDidChange],
		roots: () => repositories.list().map(repositoryRow),
		head: () => ({ contexts: { [CONTEXT.hasRepositories]: repositories.areRead } }),
	});
}

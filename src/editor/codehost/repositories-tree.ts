import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { type RowLook, type RowParts, titled, WARNING } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import { Card, Tree, type TreeShell } from "../kit/tree.ts";
import { readingConnection } from "./words.ts";

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
				{ key: "credential", fields, look: credentialLook(who === "" ? name : `${who} · ${name}`) },
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

function credentialLook(description: string): RowLook {
	return {
		...titled("Credential", description),
		icon: "key",
		context: "repositoryCredential",
		command: { id: "switchboard.showConnection", title: "Show Connection" },
	};
}

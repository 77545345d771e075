import * as vscode from "vscode";
import type { CodehostClients } from "#app/codehost/clients.ts";
import { IssueLists, refreshInBackground } from "#app/codehost/issue-lists.ts";
import { SAVED_QUERY } from "#app/codehost/issue-queries.ts";
import { Repositories } from "#app/codehost/repositories.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import { unseenIssues } from "#app/codehost/unseen-issues.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { parsed } from "#base/schema.ts";
import type { TreeShell } from "../kit/tree.ts";
import { withProgress } from "../progress.ts";
import { onSettingChange, setting } from "../settings.ts";
import { issueDocuments } from "./issue-documents.ts";
import { treeOfIssues } from "./issues-tree.ts";
import { provideReferences } from "./references.ts";
import { treeOfRepositories } from "./repositories-tree.ts";
import { startedIssues } from "./started-issues.ts";

/** Builds the room of repositories and issues; `held` disposes it. */
export function startCodehost(
	{
		clients,
		store,
		workspace,
		shells,
		issuesChanged,
		...asking
	}: {
		readonly clients: CodehostClients;
		readonly store: KeyValueStore;
		readonly workspace: KeyValueStore;
		readonly shells: { readonly repositories: TreeShell; readonly issues: TreeShell };
		/** Fires when the text of an issue's document changes. */
		readonly issuesChanged: vscode.EventEmitter<vscode.Uri>;
		/** Asks for a code host; resolves to the id of its connection. */
		readonly addCodehost: () => Promise<string | undefined>;
		readonly revealConnection: (id: string) => Promise<void>;
	},
	held: DisposableStore,
) {
	const { clock, registry } = clients.parts;
	const repositories = held.add(new Repositories(store, clients));
	const saved = () => setting("switchboard.codeHost.queries").flatMap((each) => parsed(SAVED_QUERY, each) ?? []);
	const lists = held.add(new IssueLists(repositories, workspace, saved));
	const statuses = held.add(new CodehostStatuses(clients));
	const documents = issueDocuments(lists, repositories, { follow: withProgress, changed: issuesChanged }, held);
	const intervalMs = () => setting("switchboard.codeHost.refreshMinutes") * 60_000;
	const conditions = { clock, focused: () => vscode.window.state.focused, intervalMs };
	const refresher = held.add(refreshInBackground(lists, repositories, statuses, conditions));
	held.add(vscode.window.onDidChangeWindowState(() => refresher.plan()));
	held.add(onSettingChange("switchboard.codeHost.refreshMinutes", () => refresher.plan()));
	const started = startedIssues(workspace, repositories, held);
	const repositoriesTree = held.add(treeOfRepositories(shells.repositories, repositories, lists, statuses));
	const unseen = unseenIssues(lists, repositories, workspace);
	const issuesTree = held.add(treeOfIssues(shells.issues, repositories, lists, statuses, started, unseen));
	const renewQuery = () => void lists.renewQuery().finally(() => issuesTree.refresh());
	held.add(onSettingChange("switchboard.codeHost.queries", renewQuery));
	provideReferences(repositories, lists, held);
	const rooms = { registry, clients, repositories, lists, statuses, documents, started };
	return { ...asking, ...rooms, repositoriesTree, issuesTree };
}

/** Services of the views of repositories and issues and their commands. */
export type RepositoryRoom = ReturnType<typeof startCodehost>;

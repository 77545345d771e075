import * as vscode from "vscode";
import { BackgroundRefresher } from "#app/codehost/background-refresher.ts";
import type { CodehostClients } from "#app/codehost/clients.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { Repositories } from "#app/codehost/repositories.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import { ISSUE_SCHEME, SETTINGS } from "#app/contributions.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { TreeShell } from "../kit/tree.ts";
import { withProgress } from "../progress.ts";
import { refreshIntervalMs } from "../settings.ts";
import { IssueDocuments } from "./issue-documents.ts";
import { treeOfIssues } from "./issues-tree.ts";
import { treeOfRepositories } from "./repositories-tree.ts";

/** Rooms that repositories and issues are made from. */
export interface CodehostOptions {
	readonly clients: CodehostClients;
	readonly store: KeyValueStore;
	/** Store of the workspace. */
	readonly workspace: KeyValueStore;
	/** The views as they were registered. */
	readonly shells: { readonly repositories: TreeShell; readonly issues: TreeShell };
	/** Fires when the text of an issue's document changes. */
	readonly issuesChanged: vscode.EventEmitter<vscode.Uri>;
}

/** Builds the rooms of the code host; `held` disposes them. */
export function startCodehost(options: CodehostOptions, held: DisposableStore) {
	const { clients, store, workspace, shells, issuesChanged } = options;
	const { clock } = clients.parts;
	const repositories = held.add(new Repositories(store, clients));
	const lists = held.add(new IssueLists(clients, repositories, workspace));
	const statuses = held.add(new CodehostStatuses(clients));
	const follow = withProgress;
	const documents = held.add(new IssueDocuments(lists, repositories, { follow, changed: issuesChanged }));
	held.add(
		vscode.workspace.onDidCloseTextDocument(({ uri }) => {
			if (uri.scheme === ISSUE_SCHEME) documents.forget(uri);
		}),
	);
	const focused = () => vscode.window.state.focused;
	const refresher = new BackgroundRefresher(lists, repositories, statuses, {
		clock,
		focused,
		intervalMs: refreshIntervalMs,
	});
	held.add(refresher);
	held.add(vscode.window.onDidChangeWindowState(() => refresher.plan()));
	held.add(
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration(SETTINGS.refreshMinutes)) refresher.plan();
		}),
	);
	const repositoriesTree = held.add(treeOfRepositories(shells.repositories, repositories, lists, statuses));
	const issuesTree = held.add(treeOfIssues(shells.issues, repositories, lists, statuses));
	return { repositories, lists, statuses, documents, repositoriesTree, issuesTree };
}

import * as vscode from "vscode";
import { BackgroundRefresher } from "#app/codehost/background-refresher.ts";
import type { CodehostClients } from "#app/codehost/clients.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { Repositories } from "#app/codehost/repositories.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ISSUE_SCHEME, SETTINGS } from "#app/contributions.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { Clock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { withProgress } from "../progress.ts";
import { refreshIntervalMs } from "../settings.ts";
import type { TreeShell } from "../tree.ts";
import { IssueDocuments } from "./issue-documents.ts";
import { IssuesTree } from "./issues-tree.ts";
import { RepositoriesTree } from "./repositories-tree.ts";
import { WaitLine } from "./wait-line.ts";

/** Rooms that repositories and issues are made from. */
export interface CodehostOptions {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly clock: Clock;
	readonly store: KeyValueStore;
	/** Store of the workspace. */
	readonly workspace: KeyValueStore;
	/** The views as they were registered. */
	readonly shells: { readonly repositories: TreeShell; readonly issues: TreeShell };
	/** Fires when the text of an issue's document changes. */
	readonly issuesChanged: vscode.EventEmitter<vscode.Uri>;
}

/** Rooms of the Repositories and Issues views and their commands. */
export interface CodehostParts {
	readonly repositories: Repositories;
	readonly lists: IssueLists;
	readonly statuses: CodehostStatuses;
	readonly documents: IssueDocuments<vscode.Uri>;
	readonly repositoriesTree: RepositoriesTree;
	readonly issuesTree: IssuesTree;
}

/** Builds the rooms of the code host; `held` disposes them. */
export function startCodehost(options: CodehostOptions, held: DisposableStore): CodehostParts {
	const { registry, clients, clock, store, workspace, shells, issuesChanged } = options;
	const repositories = held.add(new Repositories(store, clients));
	const lists = held.add(new IssueLists(clients, repositories, workspace));
	const statuses = held.add(new CodehostStatuses(clients));
	const follow = withProgress;
	const documents = held.add(new IssueDocuments({ lists, repositories, registry, follow, changed: issuesChanged }));
	held.add(
		vscode.workspace.onDidCloseTextDocument(({ uri }) => {
			if (uri.scheme === ISSUE_SCHEME) documents.forget(uri);
		}),
	);
	const common = { registry, repositories, lists, statuses };
	const repositoriesTree = held.add(new RepositoriesTree(shells.repositories, common));
	const issuesTree = held.add(new IssuesTree(shells.issues, { ...common, clock }));
	const show = (line: string | undefined) => {
		// An empty message takes the line away.
		shells.issues.view.message = line ?? "";
	};
	held.add(new WaitLine({ statuses, repositories, lists, clock, show }));
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
	return { repositories, lists, statuses, documents, repositoriesTree, issuesTree };
}

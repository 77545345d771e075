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
import { issuesTree } from "./issues-tree.ts";
import { repositoriesTree } from "./repositories-tree.ts";

/** Builds the rooms of the code host, in views as they were registered; `held` disposes them. */
export function startCodehost(
	clients: CodehostClients,
	stores: Readonly<Record<"global" | "workspace", KeyValueStore>>,
	shells: Readonly<Record<"repositories" | "issues", TreeShell>>,
	issuesChanged: vscode.EventEmitter<vscode.Uri>,
	held: DisposableStore,
) {
	const { clock } = clients.parts;
	const repositories = held.add(new Repositories(stores.global, clients));
	const lists = held.add(new IssueLists(clients, repositories, stores.workspace));
	const statuses = held.add(new CodehostStatuses(clients));
	const documents = held.add(new IssueDocuments(lists, repositories, { follow: withProgress, changed: issuesChanged }));
	held.add(
		vscode.workspace.onDidCloseTextDocument(({ uri }) => {
			if (uri.scheme === ISSUE_SCHEME) documents.forget(uri);
		}),
	);
	const trees = {
		repositories: held.add(repositoriesTree(shells.repositories, repositories, lists, statuses)),
		issues: held.add(issuesTree(shells.issues, repositories, lists, statuses)),
	};
	const focused = () => vscode.window.state.focused;
	const refresher = held.add(
		new BackgroundRefresher(lists, repositories, statuses, { clock, focused, intervalMs: refreshIntervalMs }),
	);
	held.add(vscode.window.onDidChangeWindowState(() => refresher.plan()));
	held.add(
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration(SETTINGS.refreshMinutes)) refresher.plan();
		}),
	);
	return { repositories, lists, statuses, documents, trees };
}

import type { Disposable } from "#base/disposables.ts";
import type { Event } from "#base/emitter.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { CodehostClients } from "./clients.ts";
import type { IssueList, IssueListEvent } from "./issue-list.ts";
import type { IssueView } from "./issue-view.ts";
import type { AddedRepository, Repositories } from "./repositories.ts";

/** What the lists work with. */
export interface IssueListsParts {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly repositories: Repositories;
}

/**
 * One list of issues for each repository that was added. A list goes with its repository, and is emptied when its
 * connection is signed out or becomes another.
 */
export declare class IssueLists implements Disposable {
	constructor(parts: IssueListsParts);
	/** Something has happened to the list of a repository. */
	readonly onDidChange: Event<{ readonly repository: AddedRepository; readonly event: IssueListEvent }>;
	/** The list of a repository that was added; made when first asked for. */
	of(repository: AddedRepository): IssueList;
	/** How all lists are shown. */
	readonly view: IssueView;
	/** Shows all lists otherwise. */
	show(view: IssueView): void;
	/** Refreshes every list that has something in it, of one connection or of all. Never rejects. */
	refresh(connection?: string): Promise<void>;
	dispose(): void;
}

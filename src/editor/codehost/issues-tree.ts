import * as vscode from "vscode";
import type { IssueList, IssueListEvent } from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, keyOf, type Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Countdown } from "../countdown.ts";
import { Card, type Row, type RowLook, Rows, Tree, type TreeShell } from "../tree.ts";
import { headOf, isFiltered } from "./filter-head.ts";
import { issueCard } from "./issue-card.ts";
import { type ErrorPlace, errorWords, type Group, groupFacts, groupLook } from "./issue-list-look.ts";
import { IssueRows } from "./issue-rows.ts";
import { readingConnection } from "./reading-connection.ts";

/** Rooms that the Issues view works with. */
export interface IssuesTreeParts {
	readonly shell: TreeShell;
	readonly registry: ConnectionRegistry;
	readonly repositories: Repositories;
	readonly lists: IssueLists;
	readonly statuses: CodehostStatuses;
	readonly clock: Clock;
}

/** The issues of each repository that was added, a hundred at a time. */
export class IssuesTree implements Disposable {
	readonly tree: Tree;
	readonly #parts: IssuesTreeParts;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();
	/** Rows below each repository, by key. */
	readonly #below = new Map<string, IssueRows>();
	/** Trouble of each repository's connection when it was drawn last, by key. */
	readonly #troubles = new Map<string, string | undefined>();
	#endProgress: (() => void) | undefined;

	constructor(parts: IssuesTreeParts) {
		this.#parts = parts;
		this.tree = this.#held.add(new Tree(parts.shell, () => this.#roots()));
		parts.shell.view.description = headOf(parts.lists.view);
		this.#held.add(parts.repositories.onDidChange(() => this.tree.refresh()));
		this.#held.add(parts.registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(parts.lists.onDidChange(({ repository, event }) => this.#heard(repository, event)));
		this.#held.add(parts.statuses.onDidChange((connection) => this.#statusChanged(connection)));
		const draw = (repository: AddedRepository) => this.#drawError(repository);
		const countdown = this.#held.add(new Countdown({ clock: parts.clock, waits: () => this.#waits(), draw }));
		this.#held.add(parts.lists.onDidChange(({ event }) => event.type === "state" && countdown.plan()));
		this.#held.add({ dispose: () => this.#endProgress?.() });
	}

	/** Shows in the view's head what is filtered and sorted; called when the view of the lists has changed. */
	viewChanged(): void {
		const { view } = this.#parts.lists;
		this.#parts.shell.view.description = headOf(view);
		void vscode.commands.executeCommand("setContext", CONTEXT.filtered, isFiltered(view));
		this.tree.refresh();
	}

	/** Brings a repository into sight, opened, with the first of its issues; those that still load, once they are there. */
	async reveal(repository: AddedRepository): Promise<void> {
		const row = this.#group(repository, true);
		const list = this.#parts.lists.of(repository);
		const glimpse = () => this.#rowsBelow(repository).glimpse;
		const areThere = list.loaded > 0;
		await this.tree.reveal(row, glimpse);
		if (areThere) return;
		const { view } = this.#parts.shell;
		// By then the person may be at something else: the keyboard stays there.
		void list
			.loadUntil(() => list.loaded > 0)
			.then(() => {
				if (view.visible && view.selection.includes(row)) void this.tree.reveal(row, glimpse, { focus: false });
			});
	}

	/** Ends all loading; what is there stays. */
	stopLoading(): boolean {
		const loading = this.#lists().filter(({ state }) => state.name === "loading");
		for (const list of loading) list.cancel();
		return loading.length > 0;
	}

	dispose(): void {
		this.#held.dispose();
	}

	#lists(): readonly IssueList[] {
		return this.#parts.repositories.list().map((each) => this.#parts.lists.of(each));
	}

	/** The repositories whose issues could not be loaded, where it is known when the service can be asked again. */
	#waits(): readonly { readonly what: AddedRepository; readonly until: number }[] {
		return this.#parts.repositories.list().flatMap((what) => {
			const { state } = this.#parts.lists.of(what);
			return state.name === "error" && state.retryAt !== null ? [{ what, until: state.retryAt }] : [];
		});
	}

	#heard(repository: AddedRepository, event: IssueListEvent): void {
		this.#showProgress();
		if (this.#rows.get(`group:${keyOf(repository)}`) === undefined) return;
		for (const row of this.#rowsBelow(repository).stale(event)) this.tree.refresh(row);
	}

	/** The bar of the view runs while a list is loading, with a button in its title that ends it. */
	#showProgress(): void {
		const isLoading = this.#lists().some(({ state }) => state.name === "loading");
		if (isLoading === (this.#endProgress !== undefined)) return;
		void vscode.commands.executeCommand("setContext", CONTEXT.loading, isLoading);
		if (!isLoading) {
			this.#endProgress?.();
			this.#endProgress = undefined;
			return;
		}
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#endProgress = resolve;
		void vscode.window.withProgress({ location: { viewId: VIEWS.issues } }, () => promise);
	}

	#roots(): readonly Row[] {
		const repositories = this.#parts.repositories.list();
		const keys = repositories.map((each) => keyOf(each));
		this.#rows.prune((id) => keys.some((key) => id.slice(id.indexOf(":") + 1).startsWith(key)));
		for (const key of this.#below.keys()) if (!keys.includes(key)) this.#below.delete(key);
		return repositories.map((each, index) => this.#group(each, index === 0));
	}

	#group(repository: AddedRepository, isOpen: boolean): Row {
		return this.#rows.row(`group:${keyOf(repository)}`, () => ({
			fields: { ...repository },
			look: () => this.#groupLook(repository, isOpen),
			card: () => this.#errorCard(repository) ?? this.#factsCard(repository),
			children: () => this.#rowsBelow(repository).children(),
		}));
	}

	#groupLook(repository: AddedRepository, isOpen: boolean): RowLook {
		const list = this.#parts.lists.of(repository);
		const group = this.#groupOf(repository);
		this.#troubles.set(keyOf(repository), group.through.trouble);
		return groupLook(list, group, { isOpen });
	}

	#groupOf(repository: AddedRepository): Group {
		const alike = this.#parts.repositories.list().filter((each) => each.repository === repository.repository);
		const through = readingConnection(repository, this.#parts);
		return { repository: repository.repository, through, isTwice: alike.length > 1 };
	}

	#rowsBelow(repository: AddedRepository): IssueRows {
		const key = keyOf(repository);
		let below = this.#below.get(key);
		if (below === undefined) {
			const { lists } = this.#parts;
			below = new IssueRows({
				repository,
				lists,
				rows: this.#rows,
				home: () => this.#group(repository, true),
				place: () => this.#place(repository),
				cards: {
					issue: (issue) => issueCard(issue, repository.repository),
					error: () => this.#errorCard(repository),
				},
			});
			this.#below.set(key, below);
		}
		return below;
	}

	#statusChanged(connection: string): void {
		for (const repository of this.#parts.repositories.list()) {
			if (repository.connection !== connection) continue;
			const { trouble } = readingConnection(repository, this.#parts);
			const row = this.#rows.get(`group:${keyOf(repository)}`);
			if (row !== undefined && this.#troubles.get(keyOf(repository)) !== trouble) this.tree.refresh(row);
		}
	}

	#drawError(repository: AddedRepository): void {
		const row = this.#below.get(keyOf(repository))?.error;
		if (row !== undefined) this.tree.refresh(row);
	}

	#place({ connection }: AddedRepository): ErrorPlace {
		const { registry, clock } = this.#parts;
		const found = registry.get(connection, "codehost");
		return { label: found?.label ?? connection, isGone: found === undefined, now: clock.now() };
	}

	/** Hover with the whole description, which is longer than many a sidebar is wide. */
	#factsCard(repository: AddedRepository): vscode.MarkdownString {
		const group = this.#groupOf(repository);
		const facts = groupFacts(this.#parts.lists.of(repository), group).join(" · ");
		return new Card().title(group.repository).fact("Issues", facts).fact("Read through", group.through.name).markdown;
	}

	#errorCard(repository: AddedRepository): vscode.MarkdownString | undefined {
		const words = errorWords(this.#parts.lists.of(repository), this.#place(repository));
		return words === undefined ? undefined : new Card().title(words.title).text(words.advice).markdown;
	}
}

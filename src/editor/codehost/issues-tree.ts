import * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import type { IssueList, IssueListEvent } from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, keyOf, type Repositories } from "#app/codehost/repositories.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Card, type Row, type RowLook, Rows, Tree, type TreeShell } from "../tree.ts";
import { ErrorCountdown } from "./error-countdown.ts";
import { issueCard } from "./issue-card.ts";
import { countOf, type ErrorPlace, errorLook, errorWords, moreLook, noteLook } from "./issue-list-look.ts";
import { IssueLooks } from "./issue-look.ts";

/** What the Issues view shows. */
export interface IssuesTreeParts {
	readonly shell: TreeShell;
	readonly registry: ConnectionRegistry;
	readonly repositories: Repositories;
	readonly lists: IssueLists;
	readonly clock: Clock;
}

/** The issues of each repository that was added, a hundred at a time. */
export class IssuesTree implements Disposable {
	readonly tree: Tree;
	readonly #parts: IssuesTreeParts;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();
	/** The rows of a list's issues as far as they were asked for, by key: a page costs what the page is long. */
	readonly #drawn = new Map<string, Row[]>();
	/** Lists whose first page a drawing of the tree waits for: it will be drawn anyway. */
	readonly #awaited = new Set<string>();
	#endProgress: (() => void) | undefined;

	constructor(parts: IssuesTreeParts) {
		this.#parts = parts;
		this.tree = this.#held.add(new Tree(parts.shell, () => this.#roots()));
		this.#held.add(parts.repositories.onDidChange(() => this.tree.refresh()));
		this.#held.add(parts.registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(parts.lists.onDidChange(({ repository, event }) => this.#heard(repository, event)));
		this.#held.add(new ErrorCountdown({ ...parts, draw: (repository) => this.#drawError(repository) }));
		this.#held.add({ dispose: () => this.#endProgress?.() });
	}

	/** Shows in the view's head what is filtered; called when the view of the lists has changed. */
	viewChanged(): void {
		const { text, state } = this.#parts.lists.view;
		const words = [text === "" ? "" : `"${text}"`, state === "open" ? "" : state].filter((part) => part !== "");
		this.#parts.shell.view.description = words.join(" · ");
		void vscode.commands.executeCommand("setContext", CONTEXT.filtered, words.length > 0);
		this.tree.refresh();
	}

	/** Brings the issues of a repository into sight, opened. */
	async reveal(repository: AddedRepository): Promise<void> {
		await this.tree.reveal(this.#group(repository, true));
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

	#heard(repository: AddedRepository, event: IssueListEvent): void {
		const key = keyOf(repository);
		if (event.type === "replaced") this.#drawn.delete(key);
		this.#showProgress();
		const group = this.#rows.get(`group:${key}`);
		if (group === undefined || this.#awaited.has(key)) return;
		if (event.type === "changed") {
			for (const number of event.numbers) {
				const row = this.#rows.get(issueId(key, number));
				if (row !== undefined) this.tree.refresh(row);
			}
			return;
		}
		const { state } = this.#parts.lists.of(repository);
		const more = this.#rows.get(`more:${key}`);
		// That more is under way changes one row only; thousands of others need not be drawn again for it.
		if (event.type === "state" && state.name === "loading" && more !== undefined) this.tree.refresh(more);
		else if (event.type !== "state" || state.name !== "loading") this.tree.refresh(group);
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
		for (const key of this.#drawn.keys()) if (!keys.includes(key)) this.#drawn.delete(key);
		return repositories.map((each, index) => this.#group(each, index === 0));
	}

	#group(repository: AddedRepository, isOpen: boolean): Row {
		const row: Row = this.#rows.row(`group:${keyOf(repository)}`, () => ({
			fields: { ...repository },
			look: () => this.#groupLook(repository, isOpen),
			children: () => this.#children(repository, row),
		}));
		return row;
	}

	#groupLook(repository: AddedRepository, isOpen: boolean): RowLook {
		const { registry, repositories, lists } = this.#parts;
		const list = lists.of(repository);
		const alike = repositories.list().filter((each) => each.repository === repository.repository);
		const connection = alike.length > 1 ? registry.get(repository.connection)?.label : undefined;
		const count = countOf(list);
		return {
			label: repository.repository,
			description: [count, connection].filter((part) => part !== undefined && part !== "").join(" · "),
			icon: "repo",
			spoken: `Issues of ${repository.repository}${count === "" ? "" : `, ${count}`}`,
			context: "group",
			opens: isOpen ? "open" : "closed",
		};
	}

	async #children(repository: AddedRepository, parent: Row): Promise<readonly Row[]> {
		const key = keyOf(repository);
		const list = this.#parts.lists.of(repository);
		if (list.state.name === "idle" || (list.state.name === "loading" && list.loaded === 0)) {
			this.#awaited.add(key);
			await list.load();
			this.#awaited.delete(key);
			// The count beside the repository is known only now.
			queueMicrotask(() => this.#drawHead(repository));
		}
		const issues = this.#issueRows(repository, parent);
		const after = this.#after(repository, parent);
		return after === undefined ? issues : [...issues, after];
	}

	/** The rows of all issues that are shown; those that are new at the end are added to those there were. */
	#issueRows(repository: AddedRepository, parent: Row): readonly Row[] {
		const key = keyOf(repository);
		const { issues } = this.#parts.lists.of(repository);
		let rows = this.#drawn.get(key);
		if (rows === undefined || rows.length > issues.length) {
			rows = [];
			this.#drawn.set(key, rows);
		}
		for (const { number } of issues.slice(rows.length)) rows.push(this.#issueRow(repository, { number, parent }));
		return rows;
	}

	readonly #headed = new Map<string, string>();

	/** Draws a repository again if what stands beside its name has become another. */
	#drawHead(repository: AddedRepository): void {
		const key = keyOf(repository);
		const count = countOf(this.#parts.lists.of(repository));
		const row = this.#rows.get(`group:${key}`);
		if (row === undefined || this.#headed.get(key) === count) return;
		this.#headed.set(key, count);
		this.tree.refresh(row);
	}

	/** What stands below the issues: an error, Load More, or that there is nothing. */
	#after(repository: AddedRepository, parent: Row): Row | undefined {
		const list = this.#parts.lists.of(repository);
		const key = keyOf(repository);
		const fields = { ...repository };
		if (list.state.name === "error") {
			return this.#rows.row(`error:${key}`, () => ({
				parent,
				fields,
				look: () => errorLook(this.#parts.lists.of(repository), this.#place(repository)),
				card: () => this.#errorCard(repository),
			}));
		}
		if (list.hasMore) {
			return this.#rows.row(`more:${key}`, () => ({ parent, fields, look: () => moreLook(list) }));
		}
		if (list.issues.length > 0 && list.halted === undefined) return undefined;
		return this.#rows.row(`note:${key}`, () => ({ parent, look: () => noteLook(list) }));
	}

	#drawError(repository: AddedRepository): void {
		const row = this.#rows.get(`error:${keyOf(repository)}`);
		if (row !== undefined) this.tree.refresh(row);
	}

	#place({ connection }: AddedRepository): ErrorPlace {
		const { registry, clock } = this.#parts;
		return { label: registry.get(connection)?.label ?? connection, now: clock.now() };
	}

	#errorCard(repository: AddedRepository): vscode.MarkdownString | undefined {
		const words = errorWords(this.#parts.lists.of(repository), this.#place(repository));
		return words === undefined ? undefined : new Card().title(words.title).text(words.advice).markdown;
	}

	#issueRow(repository: AddedRepository, { number, parent }: { number: number; parent: Row }): Row {
		const issue = (): Issue | undefined => this.#parts.lists.of(repository).get(number);
		const looks = new IssueLooks();
		return this.#rows.row(issueId(keyOf(repository), number), () => ({
			parent,
			fields: { ...repository, number },
			look: () => looks.of(issue(), this.#parts.lists.view.text),
			card: () => issueCard(issue(), repository.repository),
		}));
	}
}

function issueId(key: string, number: number): string {
	return `issue:${key}#${number}`;
}

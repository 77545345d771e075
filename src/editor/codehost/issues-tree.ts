import * as vscode from "vscode";
import type { IssueList, IssueListEvent } from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, keyOf, type Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { excerpt } from "#base/excerpt.ts";
import { CHUNK_ROWS, chunkLook, chunkOf, chunkStart } from "../kit/chunks.ts";
import { Countdown } from "../kit/countdown.ts";
import { plainLine } from "../kit/text.ts";
import { Card, type Row, Rows, Tree, type TreeShell } from "../kit/tree.ts";
import { loadingLook } from "../loading-look.ts";
import {
	type ErrorPlace,
	errorLook,
	errorWords,
	type Group,
	groupFacts,
	groupLook,
	headOf,
	isFiltered,
	moreLook,
	noteLook,
} from "./issue-list-look.ts";
import { issueLook } from "./issue-look.ts";
import { issueFacts, titleOf } from "./issue-text.ts";
import { readingConnection } from "./words.ts";

/** Number of issues that are brought into sight with their repository, where the view has the room. */
const GLIMPSE = 10;

/** Characters of a body that a card shows. */
const BODY_IN_CARD = 400;

/** The issues of each repository that was added, a hundred at a time. */
export class IssuesTree implements Disposable {
	readonly tree: Tree;
	readonly #repositories: Repositories;
	readonly #lists: IssueLists;
	readonly #statuses: CodehostStatuses;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();
	/** Description that each repository's row was drawn with last, by key. */
	readonly #drawn = new Map<string, string | undefined>();
	/** Keys of the repositories with an error above their issues. */
	readonly #headed = new Set<string>();
	#endProgress: (() => void) | undefined;

	constructor(shell: TreeShell, repositories: Repositories, lists: IssueLists, statuses: CodehostStatuses) {
		this.#repositories = repositories;
		this.#lists = lists;
		this.#statuses = statuses;
		const { registry, clock } = repositories.clients.parts;
		this.tree = this.#held.add(new Tree(shell, () => this.#roots()));
		shell.view.description = headOf(lists.view);
		this.#held.add(repositories.onDidChange(() => this.tree.refresh()));
		this.#held.add(registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(lists.onDidChange(({ repository, event }) => this.#heard(repository, event)));
		this.#held.add(statuses.onDidChange((connection) => this.#statusChanged(connection)));
		const ends = () => this.#all().map(({ retryAt }) => retryAt);
		const countdown = this.#held.add(new Countdown(clock, ends, () => this.#drawErrors()));
		this.#held.add(lists.onDidChange(() => countdown.plan()));
		this.#held.add({ dispose: () => this.#endProgress?.() });
	}

	/** Shows in the view's head what is filtered and sorted; called when the view of the lists has changed. */
	viewChanged(): void {
		const { view } = this.#lists;
		this.tree.shell.view.description = headOf(view);
		void vscode.commands.executeCommand("setContext", CONTEXT.filtered, isFiltered(view));
		this.tree.refresh();
	}

	/** Brings a repository into sight, opened, with the first of its issues; those that still load, once they are there. */
	async reveal(repository: AddedRepository): Promise<void> {
		const row = this.#group(repository, true);
		const list = this.#lists.of(repository);
		const glimpse = () => {
			const issue = list.issues.slice(0, GLIMPSE).at(-1);
			return this.#rows.get(issue === undefined ? `end:${keyOf(repository)}` : issueId(repository, issue.number));
		};
		const areThere = list.loaded > 0;
		await this.tree.reveal(row, glimpse);
		if (areThere) return;
		const { view } = this.tree.shell;
		// By then the person may be at something else: the keyboard stays there.
		void list.load().then(() => {
			if (view.visible && view.selection.includes(row)) void this.tree.reveal(row, glimpse, { focus: false });
		});
	}

	/** Cancels all loading; what is there stays. */
	stopLoading(): boolean {
		const loading = this.#all().filter(({ state }) => state.name === "loading");
		for (const list of loading) list.cancel();
		return loading.length > 0;
	}

	dispose(): void {
		this.#held.dispose();
	}

	get #registry(): ConnectionRegistry {
		return this.#repositories.clients.parts.registry;
	}

	#all(): readonly IssueList[] {
		return this.#repositories.list().map((each) => this.#lists.of(each));
	}

	#heard(repository: AddedRepository, { from }: IssueListEvent): void {
		this.#showProgress();
		const key = keyOf(repository);
		const list = this.#lists.of(repository);
		const home = this.#rows.get(`group:${key}`);
		if (home === undefined) return;
		const start = chunkStart(from ?? list.issues.length);
		if (list.isOutdated !== this.#headed.has(key)) this.tree.refresh(home);
		// That more is under way changes no other rows.
		else if (from === undefined && list.state.name === "loading") this.#drawErrors();
		else this.tree.refresh(start === 0 ? home : this.#chunk(repository, start));
	}

	/** The bar of the view runs while a list is loading, with a button in its title that cancels it. */
	#showProgress(): void {
		const isLoading = this.#all().some(({ state }) => state.name === "loading");
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
		const repositories = this.#repositories.list();
		const keys = repositories.map((each) => keyOf(each));
		this.#rows.prune((id) => keys.some((key) => id.slice(id.indexOf(":") + 1).startsWith(key)));
		return repositories.map((each, index) => this.#group(each, index === 0));
	}

	#group(repository: AddedRepository, isOpen: boolean): Row {
		return this.#rows.row(`group:${keyOf(repository)}`, () => ({
			fields: { ...repository },
			look: () => {
				const look = groupLook(this.#lists.of(repository), this.#groupOf(repository), { isOpen });
				this.#drawn.set(keyOf(repository), look.description);
				return look;
			},
			card: () => this.#errorCard(repository) ?? this.#factsCard(repository),
			children: () => this.#below(repository),
		}));
	}

	#groupOf(repository: AddedRepository): Group {
		const alike = this.#repositories.list().filter((each) => each.repository === repository.repository);
		const through = readingConnection(repository, { registry: this.#registry, statuses: this.#statuses });
		return { repository: repository.repository, through, isTwice: alike.length > 1 };
	}

	/** Rows right below a repository; begins to load the first page if nothing was asked yet. */
	#below(repository: AddedRepository): readonly Row[] {
		const key = keyOf(repository);
		const list = this.#lists.of(repository);
		// Without its connection there is nothing to load from.
		if (list.state.name === "idle" && !this.#place(repository).isGone) void list.load();
		const rows = this.#rowsFrom(repository, 0);
		if (!list.isOutdated) {
			this.#headed.delete(key);
			return rows;
		}
		this.#headed.add(key);
		const head = this.#rows.row(`head:${key}`, () => ({
			fields: { ...repository },
			look: () =>
				list.state.name === "failed"
					? errorLook(list, this.#place(repository))
					: loadingLook("Loading the issues again"),
			card: () => this.#errorCard(repository),
		}));
		return [head, ...rows];
	}

	#rowsFrom(repository: AddedRepository, from: number): readonly Row[] {
		const { issues } = this.#lists.of(repository);
		return chunkOf<Row>(
			{
				length: issues.length,
				rows: (first, end) => issues.slice(first, end).map(({ number }) => this.#issueRow(repository, number)),
				group: (next) => this.#chunk(repository, next),
				last: this.#last(repository),
			},
			from,
		);
	}

	#chunk(repository: AddedRepository, from: number): Row {
		return this.#rows.row(`chunk:${keyOf(repository)}@${from}`, () => ({
			fields: { ...repository },
			look: () => {
				const to = Math.min(from + CHUNK_ROWS, this.#lists.of(repository).issues.length);
				return chunkLook("Issues", { from, to });
			},
			children: () => this.#rowsFrom(repository, from),
		}));
	}

	/** Row after the issues: an error, Load More, or that there is nothing. One row for all, so that it keeps the focus. */
	#last(repository: AddedRepository): Row | undefined {
		const list = this.#lists.of(repository);
		const { state, hasMore, issues, halted } = list;
		const isWell = state.name === "ready" || state.name === "loading" || list.isOutdated;
		if (isWell && !hasMore && issues.length > 0 && halted === undefined) return undefined;
		return this.#rows.row(`end:${keyOf(repository)}`, () => ({
			fields: { ...repository },
			look: () => {
				const place = this.#place(repository);
				const isError = list.state.name === "failed" && !list.isStopped && !list.isOutdated;
				if (isError || place.isGone) return errorLook(list, place);
				return list.hasMore || list.state.name !== "ready" ? moreLook(list) : noteLook(list);
			},
			card: () => this.#errorCard(repository),
		}));
	}

	#issueRow(repository: AddedRepository, number: number): Row {
		return this.#rows.row(issueId(repository, number), () => {
			const list = this.#lists.of(repository);
			return {
				fields: { ...repository, number },
				look: () => issueLook(list.get(number), this.#lists.view.text),
				card: () => this.#issueCard(repository, number),
			};
		});
	}

	/** Redraws a repository's row when what it says of its connection has changed. */
	#statusChanged(connection: string): void {
		for (const repository of this.#repositories.list()) {
			const row = this.#rows.get(`group:${keyOf(repository)}`);
			if (repository.connection !== connection || row === undefined) continue;
			const list = this.#lists.of(repository);
			const { description } = groupLook(list, this.#groupOf(repository), { isOpen: true });
			if (this.#drawn.get(keyOf(repository)) !== description) this.tree.refresh(row);
		}
	}

	#drawErrors(): void {
		for (const repository of this.#repositories.list()) {
			for (const kind of ["head", "end"]) {
				const row = this.#rows.get(`${kind}:${keyOf(repository)}`);
				if (row !== undefined) this.tree.refresh(row);
			}
		}
	}

	#place({ connection }: AddedRepository): ErrorPlace {
		const found = this.#registry.get(connection, "codehost");
		return {
			label: found?.label ?? connection,
			isGone: found === undefined,
			now: this.#repositories.clients.parts.clock.now(),
		};
	}

	/** Hover with the whole description, which is longer than many a sidebar is wide. */
	#factsCard(repository: AddedRepository): vscode.MarkdownString {
		const group = this.#groupOf(repository);
		const facts = groupFacts(this.#lists.of(repository), group).join(" · ");
		return new Card().title(group.repository).fact("Issues", facts).fact("Read through", group.through.name).markdown;
	}

	#errorCard(repository: AddedRepository): vscode.MarkdownString | undefined {
		const words = errorWords(this.#lists.of(repository), this.#place(repository));
		return words === undefined ? undefined : new Card().title(words.title).text(words.advice).markdown;
	}

	#issueCard(repository: AddedRepository, number: number): vscode.MarkdownString | undefined {
		const issue = this.#lists.of(repository).get(number);
		if (issue === undefined) return undefined;
		const card = new Card().title(`#${issue.number} ${titleOf(issue)}`).fact("Repository", repository.repository);
		for (const [name, value] of issueFacts(issue)) card.fact(name, value);
		const body = plainLine(excerpt(issue.body ?? "", BODY_IN_CARD));
		if (body !== "") card.rule().text(body);
		return card.markdown;
	}
}

function issueId(repository: AddedRepository, number: number): string {
	return `issue:${keyOf(repository)}#${number}`;
}

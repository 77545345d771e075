import type { CodehostClient } from "#api/codehost/client.ts";
import type { Issue, IssuePage, IssueQuery } from "#api/codehost/model.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { Asking } from "../connections/probe-result.ts";
import type { KeyValueStore } from "../ports.ts";
import { DEFAULT_VIEW, GROUPED_BY, IssueList, type IssueView, SORTED_BY } from "./issue-list.ts";
import { ALL_ISSUES, MY_QUERIES, type SavedQuery, stateIn, untakenOf } from "./issue-queries.ts";
import { type LastLists, lastLists } from "./last-lists.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "./repositories.ts";
import { type CodehostStatuses, isRefused, lacksSecret } from "./status.ts";

const SORT_KEY = "switchboard.issues.sort";
const QUERY_KEY = "switchboard.issues.query";
const GROUP_KEY = "switchboard.issues.group";

/**
 * Lists of issues by repository: that of all, and that of the query shown. A list goes with its repository, and is
 * cleared with its connection's credential.
 */
export class IssueLists implements Disposable {
	readonly #repositories: Repositories;
	readonly #store: KeyValueStore;
	readonly #saved: () => readonly SavedQuery[];
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<AddedRepository>());
	readonly #lists = new Map<string, IssueList>();
	readonly #last: LastLists;
	#view: IssueView;

	/** `store` keeps the order, the grouping and the query for the workspace; `saved` gives the person's own queries. */
	constructor(repositories: Repositories, store: KeyValueStore, saved: () => readonly SavedQuery[] = () => []) {
		const { clients } = repositories;
		this.#repositories = repositories;
		this.#store = store;
		this.#saved = saved;
		const query = this.query(store.get(QUERY_KEY)) ?? ALL_ISSUES;
		const sort = SORTED_BY.find((each) => each === store.get(SORT_KEY)) ?? DEFAULT_VIEW.sort;
		const group = GROUPED_BY.find((each) => each === store.get(GROUP_KEY)) ?? DEFAULT_VIEW.group;
		this.#view = { ...DEFAULT_VIEW, query, sort, group };
		this.#last = lastLists(store, repositories);
		this.#held.add(repositories.onDidChange(() => this.#forget()));
		this.#held.add(clients.parts.registry.onDidChange(() => this.#last.drop()));
		this.#held.add(clients.onDidDrop((id) => this.#reset(id)));
	}

	/** Fires with a repository when its list may have changed. */
	readonly onDidChange = this.#changed.event;

	get view(): IssueView {
		return this.#view;
	}

	/** Queries to choose from; those about the person only where a connection of a repository takes them. */
	get queries(): readonly SavedQuery[] {
		const { registry } = this.#repositories.clients.parts;
		const through = this.#repositories.list().flatMap(({ connection }) => registry.get(connection, "codehost") ?? []);
		const mine = MY_QUERIES.filter((each) => through.some((one) => untakenOf(each, one) === undefined));
		return [...[ALL_ISSUES, ...mine].filter((each) => this.query(each.name) === each), ...this.#saved()];
	}

	/** Query of that name, of any connection. The person's own come first. */
	query(name: unknown): SavedQuery | undefined {
		return [...this.#saved(), ALL_ISSUES, ...MY_QUERIES].find((each) => each.name === name);
	}

	/** List of the issues of a repository that the view shows. */
	shown(repository: AddedRepository): IssueList {
		return this.of(repository, this.#view.query);
	}

	/** Loaded issue of that number, of any list. */
	get(repository: AddedRepository, number: number): Issue | undefined {
		return this.all(repository).find((issue) => issue.number === number);
	}

	/** Loaded issues of a repository, of any list. */
	all(repository: AddedRepository): readonly Issue[] {
		const all = [...this.of(repository).all, ...this.shown(repository).all];
		return [...new Map(all.map((issue) => [issue.number, issue])).values()];
	}

	/** List of all issues of a repository, or of a query, made at its first use. */
	of(repository: AddedRepository, query = ALL_ISSUES): IssueList {
		const key = `${repositoryKey(repository)}\n${JSON.stringify(query)}`;
		const known = this.#lists.get(key);
		if (known !== undefined) return known;
		const list = new IssueList(this.#repositories.clients, repository, this.#viewOf(query), this.#last);
		list.onDidChange(() => this.#changed.fire(repository));
		this.#lists.set(key, list);
		return list;
	}

	get loading(): readonly IssueList[] {
		return [...this.#lists.values()].filter(({ state }) => state.name === "loading");
	}

	/** Looks for an issue among all of its repository; nothing on screen changes. */
	async find(repository: AddedRepository, number: number, options: FindOptions = {}): ReturnType<typeof findIssue> {
		const access = await this.#repositories.clients.open(repository.connection);
		return access.following(options.onWait, () => findIssue(access.client, { ...repository, number }, options));
	}

	/** Shows all lists otherwise; unless in passing, what is given but for the filter holds in later windows too. */
	async show(part: Partial<IssueView>, { isPassing = false } = {}): Promise<void> {
		const before = this.#view;
		this.#view = { ...before, ...part };
		const { sort, group, query }: Partial<IssueView> = isPassing ? {} : part;
		// All hold in this window whether they can be kept or not.
		const keep = (key: string, value?: string) => value && void this.#store.set(key, value).catch(() => undefined);
		keep(SORT_KEY, sort);
		keep(GROUP_KEY, group);
		keep(QUERY_KEY, query?.name);
		const isSameQuery = JSON.stringify(this.#view.query) === JSON.stringify(before.query);
		if (!isSameQuery) this.#drop((list) => list.view.query !== ALL_ISSUES);
		await Promise.all([...this.#lists.values()].map((list) => list.show(this.#viewOf(list.view.query))));
	}

	/** Takes up the chosen query as it is in the settings by now; all issues while it is not there. */
	async renewQuery(): Promise<void> {
		await this.show({ query: this.query(this.#store.get(QUERY_KEY)) ?? ALL_ISSUES }, { isPassing: true });
	}

	/** Refreshes every list that was loaded or stopped. Resolves to true on success. */
	async refresh(): Promise<boolean> {
		const wanted = [...this.#lists.values()].filter(({ state }) => state.name !== "idle");
		return (await Promise.all(wanted.map((list) => list.refresh()))).every(Boolean);
	}

	/** Refreshes a loaded list in the background. Never rejects. */
	async refreshQuietly(repository: AddedRepository): Promise<void> {
		const wanted = [...this.#lists.values()].filter(
			({ repository: own, state, isStopped }) =>
				repositoryKey(own) === repositoryKey(repository) && state.name !== "idle" && !isStopped,
		);
		await Promise.all(wanted.map((list) => list.refreshQuietly()));
	}

	dispose(): void {
		this.#held.dispose();
		this.#drop(() => true);
	}

	/** View of a query's lists: its own state holds unless the person filters for another. */
	#viewOf(query: SavedQuery): IssueView {
		const { state } = this.#view;
		return { ...this.#view, query, state: state === DEFAULT_VIEW.state ? (stateIn(query) ?? state) : state };
	}

	/** Disposes the lists of removed repositories. */
	#forget(): void {
		const there = new Set(this.#repositories.list().map(repositoryKey));
		this.#drop(({ repository }) => !there.has(repositoryKey(repository)));
		this.#last.drop();
	}

	#drop(isOver: (list: IssueList) => boolean): void {
		for (const [key, list] of this.#lists) {
			if (!isOver(list)) continue;
			list.dispose();
			this.#lists.delete(key);
		}
	}

	#reset(connection: string): void {
		this.#last.drop((key) => key.startsWith(`${connection} `));
		for (const list of this.#lists.values()) if (list.repository.connection === connection) list.reset();
	}
}

/** Most issues to search for a number. */
const MOST_LOOKED_THROUGH = 10_000;

/** All issues and pull requests, newest first; the client drops parameters that the service does not know. */
const EVERYTHING: IssueQuery = { state: "all", type: "all", sort: "created", direction: "desc" };

/** Options of the search. */
export interface FindOptions extends Asking {
	/** Most issues to search, if fewer than by default. */
	readonly most?: number | undefined;
	/** Hears how many issues were searched. */
	readonly onLooked?: ((count: number) => void) | undefined;
}

/** Searches an issue page by page (contract section 4); `complete` if all were searched. Rejects with ClientError. */
export async function findIssue(
	client: CodehostClient,
	{ repository, number }: { readonly repository: string; readonly number: number },
	{ signal, onLooked, most: limit = MOST_LOOKED_THROUGH }: FindOptions = {},
) {
	const [owner = "", repo = ""] = repository.split("/");
	const enough = new AbortController();
	let issue: Issue | undefined;
	let looked = 0;
	const onPage = ({ issues }: IssuePage) => {
		looked += issues.length;
		issue ??= issues.find((each) => each.number === number);
		if (issue === undefined) onLooked?.(looked);
		else enough.abort();
	};
	try {
		const cut = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
		const { complete } = await client.listIssues(owner, repo, { query: EVERYTHING, limit, signal: cut, onPage });
		return { issue, looked, complete };
	} catch (error) {
		if (!enough.signal.aborted || signal?.aborted) throw error;
		return { issue, looked, complete: false };
	}
}

/** Refreshes loaded issues at an interval while focused, one per connection, none if refused or near its limit. */
export function refreshInBackground(
	lists: IssueLists,
	repositories: Repositories,
	statuses: CodehostStatuses,
	/** Conditions, read anew for each round: the focus of the window, and the interval, of which 0 means never. */
	options: { readonly clock: Clock; readonly focused: () => boolean; readonly intervalMs: () => number },
) {
	const { clock, focused, intervalMs } = options;
	const held = new DisposableStore();
	/** Time at which the last round ended, in epoch milliseconds. */
	let since = clock.now();
	let timer: Disposable | undefined;
	let isUnderWay = false;

	/** Schedules the next round after the focus or the interval has changed. */
	function plan(): void {
		timer?.dispose();
		timer = undefined;
		const interval = intervalMs();
		if (held.disposed || isUnderWay || !focused() || !(interval > 0)) return;
		if (repositories.list().length === 0) return;
		timer = clock.after(Math.max(0, since + interval - clock.now()), () => void round());
	}

	async function round(): Promise<void> {
		isUnderWay = true;
		const byConnection = Map.groupBy(repositories.list(), ({ connection }) => connection);
		const refresh = async ([connection, all]: [string, readonly AddedRepository[]]) => {
			for (const repository of all) {
				if (!mayAsk(connection)) return;
				await lists.refreshQuietly(repository);
			}
		};
		await Promise.allSettled([...byConnection].map(refresh));
		isUnderWay = false;
		since = clock.now();
		plan();
	}

	function mayAsk(connection: string): boolean {
		const status = statuses.list().find((each) => each.connection === connection);
		if (status === undefined || !focused() || lacksSecret(status) || isRefused(status)) return false;
		const { rate } = status;
		return rate === null || !(rate.low || rate.stopped || rate.closedUntil !== null);
	}

	held.add(repositories.onDidChange(plan));
	held.add({ dispose: () => timer?.dispose() });
	plan();
	return { plan, dispose: () => held.dispose() };
}

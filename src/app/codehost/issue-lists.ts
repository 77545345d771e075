import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import { codehostProfileOf } from "../connections/codehost-profiles.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { KeyValueStore } from "../ports.ts";
import type { CodehostClients } from "./clients.ts";
import { type Find, type FindOptions, findIssue } from "./find-issue.ts";
import { IssueList, type IssueListEvent, type RefreshOptions } from "./issue-list.ts";
import { DEFAULT_VIEW, type IssueView, isIssueSort } from "./issue-view.ts";
import { type AddedRepository, keyOf, type Repositories } from "./repositories.ts";

/** Rooms that the lists work with. */
export interface IssueListsParts {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly repositories: Repositories;
	/** Keeps the order for the workspace. */
	readonly store: KeyValueStore;
}

const SORT_KEY = "switchboard.issues.sort";

interface HeldList {
	readonly repository: AddedRepository;
	readonly list: IssueList;
}

/**
 * One list of issues for each repository that was added. A list goes with its repository, and is emptied when its
 * connection is signed out or becomes another.
 */
export class IssueLists implements Disposable {
	readonly #parts: IssueListsParts;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(
		new Emitter<{ readonly repository: AddedRepository; readonly event: IssueListEvent }>(),
	);
	readonly #lists = new Map<string, HeldList>();
	#view: IssueView;

	constructor(parts: IssueListsParts) {
		this.#parts = parts;
		const sort = parts.store.get(SORT_KEY);
		this.#view = isIssueSort(sort) ? { ...DEFAULT_VIEW, sort } : DEFAULT_VIEW;
		this.#held.add(parts.repositories.onDidChange(() => this.#forget()));
		this.#held.add(parts.clients.onDidDrop((id) => this.#reset(id)));
	}

	/** Something has happened to the list of a repository. */
	readonly onDidChange = this.#changed.event;

	/** View of all lists. */
	get view(): IssueView {
		return this.#view;
	}

	/** The list of a repository that was added; made when first asked for. */
	of(repository: AddedRepository): IssueList {
		const key = keyOf(repository);
		const known = this.#lists.get(key);
		if (known !== undefined) return known.list;
		const { clients } = this.#parts;
		const list = new IssueList({
			repository: repository.repository,
			client: async () => (await clients.open(repository.connection)).client,
			tryAgain: async () => (await clients.open(repository.connection)).tryAgain(),
			knownQuery: () => this.#knownQuery(repository),
			view: this.#view,
			now: () => clients.parts.clock.now(),
		});
		list.onDidChange((event) => this.#changed.fire({ repository, event }));
		this.#lists.set(key, { repository, list });
		return list;
	}

	/** Looks for an issue among all of its repository, whatever is shown of them; nothing that is shown changes. */
	async find(repository: AddedRepository, number: number, options: FindOptions = {}): Promise<Find> {
		const access = await this.#parts.clients.open(repository.connection);
		return access.following(options.onWait, () => findIssue(access.client, { ...repository, number }, options));
	}

	/** Shows all lists otherwise, in this order in later windows too. */
	async show(view: IssueView): Promise<void> {
		// The order holds in this window whether it can be kept or not.
		if (view.sort !== this.#view.sort) void this.#parts.store.set(SORT_KEY, view.sort).catch(() => undefined);
		this.#view = view;
		await Promise.all([...this.#lists.values()].map(({ list }) => list.show(view)));
	}

	/** Refreshes every list that was loaded; those that were stopped are loaded. Resolves to whether all went well. */
	async refresh(): Promise<boolean> {
		const wanted = [...this.#lists.values()].filter(({ list }) => list.state.name !== "idle");
		return (await Promise.all(wanted.map(({ list }) => list.refresh()))).every(Boolean);
	}

	/**
	 * Refreshes the list of a repository as nobody asked for: not one of which nothing was loaded, nor one that somebody has
	 * stopped. Resolves to why it failed; null when it did not; undefined when there was nothing to refresh.
	 */
	async refreshQuietly(
		repository: AddedRepository,
		mayAsk?: RefreshOptions["mayAsk"],
	): Promise<ClientError | null | undefined> {
		const list = this.#lists.get(keyOf(repository))?.list;
		if (list === undefined || list.state.name === "idle" || list.state.name === "stopped") return undefined;
		await list.refresh({ quiet: true, mayAsk });
		return list.lastError;
	}

	dispose(): void {
		this.#held.dispose();
		for (const { list } of this.#lists.values()) list.dispose();
		this.#lists.clear();
	}

	#knownQuery({ connection }: AddedRepository): readonly string[] {
		const found = this.#parts.registry.get(connection, "codehost");
		return found === undefined ? [] : (codehostProfileOf(found.profile).issueQuery ?? []);
	}

	/** Lets go of the lists whose repository is gone. */
	#forget(): void {
		const there = new Set(this.#parts.repositories.list().map(keyOf));
		for (const [key, { list }] of this.#lists) {
			if (there.has(key)) continue;
			list.dispose();
			this.#lists.delete(key);
		}
	}

	#reset(connection: string): void {
		for (const { repository, list } of this.#lists.values()) {
			if (repository.connection === connection) list.reset();
		}
	}
}

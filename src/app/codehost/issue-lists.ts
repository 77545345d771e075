import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { codehostProfileOf } from "../connections/codehost-profiles.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { CodehostClients } from "./clients.ts";
import { IssueList, type IssueListEvent, type RefreshOptions } from "./issue-list.ts";
import { DEFAULT_VIEW, type IssueView } from "./issue-view.ts";
import { type AddedRepository, keyOf, type Repositories } from "./repositories.ts";

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
export class IssueLists implements Disposable {
	readonly #parts: IssueListsParts;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(
		new Emitter<{ readonly repository: AddedRepository; readonly event: IssueListEvent }>(),
	);
	readonly #lists = new Map<string, { readonly repository: AddedRepository; readonly list: IssueList }>();
	#view: IssueView = DEFAULT_VIEW;

	constructor(parts: IssueListsParts) {
		this.#parts = parts;
		this.#held.add(parts.repositories.onDidChange(() => this.#forget()));
		this.#held.add(parts.clients.onDidDrop((id) => this.#reset(id)));
	}

	/** Something has happened to the list of a repository. */
	readonly onDidChange = this.#changed.event;

	/** How all lists are shown. */
	get view(): IssueView {
		return this.#view;
	}

	/** The list of a repository that was added; made when first asked for. */
	of(repository: AddedRepository): IssueList {
		const key = keyOf(repository);
		const known = this.#lists.get(key);
		if (known !== undefined) return known.list;
		const { registry, clients } = this.#parts;
		const list = new IssueList({
			repository: repository.repository,
			client: async () => (await clients.open(repository.connection)).client,
			knownQuery: () => {
				const connection = registry.get(repository.connection, "codehost");
				return connection === undefined ? [] : (codehostProfileOf(connection.profile).issueQuery ?? []);
			},
			view: this.#view,
			now: () => clients.parts.clock.now(),
		});
		list.onDidChange((event) => this.#changed.fire({ repository, event }));
		this.#lists.set(key, { repository, list });
		return list;
	}

	/** Shows all lists otherwise. */
	async show(view: IssueView): Promise<void> {
		this.#view = view;
		await Promise.all([...this.#lists.values()].map(({ list }) => list.show(view)));
	}

	/** Refreshes every list that was loaded, of one connection or of all; resolves to whether all went well. */
	async refresh({ connection, ...options }: RefreshOptions & { readonly connection?: string } = {}): Promise<boolean> {
		const wanted = [...this.#lists.values()].filter(
			({ repository, list }) =>
				list.state.name !== "idle" && (connection === undefined || repository.connection === connection),
		);
		const results = await Promise.all(wanted.map(({ list }) => list.refresh(options)));
		return results.every(Boolean);
	}

	dispose(): void {
		this.#held.dispose();
		for (const { list } of this.#lists.values()) list.dispose();
		this.#lists.clear();
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

import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { codehostProfileOf } from "../connections/codehost-profiles.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { CodehostClients } from "./clients.ts";
import { type Find, type FindOptions, findIssue } from "./find-issue.ts";
import { IssueList, type IssueListEvent, type RefreshOptions } from "./issue-list.ts";
import { DEFAULT_VIEW, type IssueView } from "./issue-view.ts";
import { type AddedRepository, keyOf, type Repositories } from "./repositories.ts";

/** What the lists work with. */
export interface IssueListsParts {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly repositories: Repositories;
}

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
		const wanted = { ...repository, number, knownQuery: this.#knownQuery(repository) };
		return access.following(options.onWait, () => findIssue(access.client, wanted, options));
	}

	/** Shows all lists otherwise. */
	async show(view: IssueView): Promise<void> {
		this.#view = view;
		await Promise.all([...this.#lists.values()].map(({ list }) => list.show(view)));
	}

	/**
	 * Refreshes every list that was loaded, of one connection or of all; resolves to whether all went well. Those that were
	 * stopped are loaded when somebody asks. Quietly it goes one by one, so that what one has learned holds for the next.
	 */
	async refresh({ connection, ...options }: RefreshOptions & { readonly connection?: string } = {}): Promise<boolean> {
		const { quiet = false } = options;
		const isWanted = ({ repository, list }: HeldList) =>
			this.#lists.get(keyOf(repository))?.list === list &&
			list.state.name !== "idle" &&
			!(quiet && list.state.name === "stopped") &&
			(connection === undefined || repository.connection === connection);
		const wanted = [...this.#lists.values()].filter(isWanted);
		if (!quiet) return (await Promise.all(wanted.map(({ list }) => list.refresh(options)))).every(Boolean);
		let isWell = true;
		for (const each of wanted) {
			// Meanwhile it may have gone, or have become another's.
			if (isWanted(each)) isWell = (await each.list.refresh(options)) && isWell;
		}
		return isWell;
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

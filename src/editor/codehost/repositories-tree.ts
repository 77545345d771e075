import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, keyOf, type Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { plainLine } from "../kit/text.ts";
import { Card, type Row, type RowLook, Rows, Tree, type TreeShell } from "../kit/tree.ts";
import { connectionName, type ReadingConnection, readingConnection } from "./words.ts";

/** The repositories that were added, each with its issues and the credential it is read with. */
export class RepositoriesTree implements Disposable {
	readonly tree: Tree;
	readonly #repositories: Repositories;
	readonly #lists: IssueLists;
	readonly #statuses: CodehostStatuses;
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();
	/** Trouble of each repository's connection when it was drawn last, by key. */
	readonly #troubles = new Map<string, string | undefined>();

	constructor(shell: TreeShell, repositories: Repositories, lists: IssueLists, statuses: CodehostStatuses) {
		this.#repositories = repositories;
		this.#lists = lists;
		this.#statuses = statuses;
		this.tree = this.#held.add(new Tree(shell, () => this.#roots()));
		this.#held.add(repositories.onDidChange(() => this.tree.refresh()));
		this.#held.add(this.#registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(
			lists.onDidChange(({ repository }) => {
				const row = this.#rows.get(`issues:${keyOf(repository)}`);
				if (row !== undefined) this.tree.refresh(row);
			}),
		);
		this.#held.add(
			statuses.onDidChange((id) => {
				for (const each of repositories.list()) {
					const key = keyOf(each);
					const isAsBefore = this.#troubles.get(key) === this.#through(each).trouble;
					const stale = `${isAsBefore ? "credential" : "repository"}:${key}`;
					const row = each.connection === id ? this.#rows.get(stale) : undefined;
					if (row !== undefined) this.tree.refresh(row);
				}
			}),
		);
	}

	dispose(): void {
		this.#held.dispose();
	}

	get #registry(): ConnectionRegistry {
		return this.#repositories.clients.parts.registry;
	}

	#roots(): readonly Row[] {
		const repositories = this.#repositories.list();
		const keys = new Set(repositories.map((each) => keyOf(each)));
		this.#rows.prune((id) => keys.has(id.slice(id.indexOf(":") + 1)));
		return repositories.map((each) => this.#repositoryRow(each));
	}

	#repositoryRow(repository: AddedRepository): Row {
		return this.#rows.row(`repository:${keyOf(repository)}`, () => ({
			fields: { ...repository },
			look: () => this.#look(repository),
			card: () =>
				new Card()
					.title(repository.repository)
					.fact("Read through", connectionName(this.#registry, repository))
					.fact("As", this.#whoAmI(repository)).markdown,
			children: () => this.#children(repository),
		}));
	}

	#look(repository: AddedRepository): RowLook {
		const { name, isGone, trouble } = this.#through(repository);
		const isOne = this.#registry.list("codehost").length === 1;
		this.#troubles.set(keyOf(repository), trouble);
		const isWell = !isGone && trouble === undefined;
		const through = !isGone && isOne ? undefined : name;
		return {
			label: repository.repository,
			description: [through, trouble].filter((part) => part !== undefined).join(" · "),
			icon: isWell ? "repo" : "warning",
			color: isWell ? undefined : "list.warningForeground",
			spoken: [`Repository ${repository.repository}, through ${name}`, trouble]
				.filter((part) => part !== undefined)
				.join(", "),
			context: "repository",
			opens: "closed",
		};
	}

	#children(repository: AddedRepository): readonly Row[] {
		const key = keyOf(repository);
		const fields = { ...repository };
		return [
			this.#rows.row(`issues:${key}`, () => ({ fields, look: () => this.#issuesLook(repository) })),
			this.#rows.row(`credential:${key}`, () => ({ fields, look: () => this.#credentialLook(repository) })),
		];
	}

	#issuesLook(repository: AddedRepository): RowLook {
		const { loaded, hasMore, state, isStopped } = this.#lists.of(repository);
		const count = loaded === 0 && state.name !== "ready" ? "not loaded yet" : `${loaded}${hasMore ? "+" : ""}`;
		const description = state.name === "failed" && !isStopped ? "could not be loaded" : count;
		return {
			label: "Issues",
			description,
			icon: "issues",
			spoken: `Issues: ${description}`,
			context: "repositoryIssues",
			command: { id: "switchboard.codehost.showIssues", title: "Show Issues" },
		};
	}

	#credentialLook(repository: AddedRepository): RowLook {
		const who = this.#whoAmI(repository);
		const name = connectionName(this.#registry, repository);
		const description = who === "" ? name : `${who} · ${name}`;
		return {
			label: "Credential",
			description,
			icon: "key",
			spoken: `Credential: ${description}`,
			context: "repositoryCredential",
			command: { id: "switchboard.showConnection", title: "Show Connection" },
		};
	}

	#whoAmI(repository: AddedRepository): string {
		const { isGone, trouble } = this.#through(repository);
		if (isGone) return "";
		return trouble ?? plainLine(this.#statuses.of(repository.connection).whoAmI);
	}

	#through(repository: AddedRepository): ReadingConnection {
		return readingConnection(repository, { registry: this.#registry, statuses: this.#statuses });
	}
}

import { type Disposable, ResourceOwner, toDisposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Infer, object, parsed, refine, text } from "#base/schema.ts";
import { taskQueue } from "#base/task-queue.ts";
import type { Asking } from "../connections/probe-result.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { KEPT } from "../contributions.ts";
import type { KeyValueStore } from "../ports.ts";
import type { CodehostClients } from "./clients.ts";
import { addressIn, ownerAndName, pageOf, readAddress, repositoryAt } from "./repository-name.ts";
import { webAddress } from "./web-address.ts";

const ADDED = object({
	/** `owner/repo`, as the service spells it. */
	repository: refine(text(), (name) => (/^[^/]+\/[^/]+$/.test(name) ? undefined : "must be owner/repo")),
	/** The id of a connection; it may be gone. */
	connection: text(),
});

/** A repository that a person has added, and the connection through which it is read. */
export type AddedRepository = Infer<typeof ADDED>;

/** A repository that could be added. */
export interface Proposal {
	readonly repository: string;
	/** The ids of the connections that may read it; at least one. */
	readonly connections: readonly string[];
}

/** The repositories that a person has added, in the order in which they were. The built-in sandbox's are not stored. */
export class Repositories extends ResourceOwner {
	readonly #store: KeyValueStore;
	/** Clients of the connections through which repositories are read. */
	readonly clients: CodehostClients;
	readonly #changed = this.held.add(new Emitter<void>());
	/** By key. They count as long as their connection does. */
	readonly #passing = new Map<string, AddedRepository>();
	/** Repositories that were removed in this window, the last first. */
	readonly removed: Proposal[] = [];
	readonly #inTurn = taskQueue();

	constructor(store: KeyValueStore, clients: CodehostClients) {
		super();
		this.#store = store;
		this.clients = clients;
	}

	readonly onDidChange = this.#changed.event;

	list(): readonly AddedRepository[] {
		const passing = [...this.#passing.values()].filter(({ connection }) => this.#registry.isEphemeral(connection));
		return [...this.#stored(), ...passing];
	}

	/** Label of a repository's connection where another connection reads the same repository; else empty. */
	labelAmongTwins({ repository, connection }: AddedRepository): string {
		const isTwice = this.list().some((each) => each.repository === repository && each.connection !== connection);
		return isTwice ? this.#registry.labelOf(connection) : "";
	}

	/** True if a repository has a connection that reads it. */
	get areRead(): boolean {
		return this.list().some(({ connection }) => this.#registry.get(connection, "codehost") !== undefined);
	}

	/**
	 * Adds a repository, written as `owner/repo` or any address of it, once the connection has read it. One that is there
	 * already is no mistake. Rejects with ClientError: `invalid` for `repository` or `connection`, or the refusal.
	 */
	async add(
		{ connection, repository }: { readonly connection: string; readonly repository: string },
		asking: Asking = {},
	): Promise<AddedRepository> {
		const added = await this.#read(connection, repository, asking);
		await this.#replace(undefined, added);
		return added;
	}

	/** Reads a repository through another connection from now on, once that has read it. Rejects as `add` does. */
	async bind(before: AddedRepository, connection: string, asking: Asking = {}): Promise<AddedRepository> {
		const after = await this.#read(connection, before.repository, asking);
		await this.#replace(before, after);
		return after;
	}

	/** Web page of a repository: the service's, or the usual one. Rejects with ClientError `invalid` for `connection`. */
	async page({ connection: id, repository }: AddedRepository, signal?: AbortSignal): Promise<string> {
		const connection = this.#registry.require(id, "codehost");
		const [owner = "", repo = ""] = repository.split("/");
		try {
			const { client } = await this.clients.open(id);
			const { value } = await client.getRepository(owner, repo, { signal, failFast: true });
			return webAddress(value.htmlUrl) ?? pageOf(repository, connection);
		} catch (error) {
			if (!(error instanceof ClientError) || error.code === "aborted") throw error;
			return pageOf(repository, connection);
		}
	}

	async remove(added: AddedRepository): Promise<void> {
		await this.#replace(added, undefined);
		this.removed.unshift({ repository: added.repository, connections: [added.connection] });
	}

	/** Repositories that the service lists for a connection. Rejects with ClientError. */
	async listed(connection: string, signal?: AbortSignal): Promise<readonly Proposal[]> {
		const { client } = await this.clients.open(connection);
		const all = await client.listRepositories({ signal, failFast: true });
		return all.map(({ fullName }) => ({ repository: fullName, connections: [connection] }));
	}

	/** Announces repositories that end with the window: those of the built-in sandbox. */
	addPassing(repositories: readonly AddedRepository[]): Disposable {
		for (const each of repositories) this.#passing.set(repositoryKey(each), each);
		this.#changed.fire();
		return toDisposable(() => {
			for (const each of repositories) this.#passing.delete(repositoryKey(each));
			this.#changed.fire();
		});
	}

	/** Repositories of git remotes, by the exact host of a connection. */
	proposals(remotes: readonly string[]): readonly Proposal[] {
		return remotes.flatMap((remote) => {
			const address = addressIn(remote);
			const found = address?.host === undefined ? [] : this.#at(address);
			return found.slice(0, 1).map(({ repository }) => ({ repository, connections: found.map(({ id }) => id) }));
		});
	}

	/** Added repository that git remotes lead to; undefined for none. */
	addedAt(remotes: readonly string[]): AddedRepository | undefined {
		return this.list().find((added) => this.isAt(added, remotes));
	}

	/** True if one of some git remotes leads to a repository, at its connection's host. */
	isAt({ repository, connection }: AddedRepository, remotes: readonly string[]): boolean {
		const isIt = ({ repository: name, connections }: Proposal) =>
			connections.includes(connection) && name.toLowerCase() === repository.toLowerCase();
		return this.proposals(remotes).some(isIt);
	}

	/** Connections whose host an address may be at, or all for a plain `owner/repo`. Throws `invalid` if none is. */
	connectionsFor(written: string): readonly string[] {
		const address = readAddress(written);
		const found = this.#at(address);
		if (found.length > 0) return found.map(({ id }) => id);
		const rule = `must be owner/repo, or the address of one where a connection leads; it is at ${address.host ?? "no host"}`;
		throw invalid("codehost", "repository", rule);
	}

	get #registry(): ConnectionRegistry {
		return this.clients.parts.registry;
	}

	/** Names of an address's repository at each connection whose host it may be at. */
	#at(address: ReturnType<typeof readAddress>) {
		return this.#registry.list("codehost").flatMap((each) => {
			const repository = repositoryAt(address, each);
			return repository === undefined ? [] : [{ repository, id: each.id }];
		});
	}

	async #read(id: string, written: string, { signal, onWait }: Asking): Promise<AddedRepository> {
		const [owner, repo] = ownerAndName(this.#registry.require(id, "codehost"), written);
		const access = await this.clients.open(id);
		const { value } = await access.following(onWait, () => access.client.getRepository(owner, repo, { signal }));
		const isStorable = this.clients.parts.redactor.storable(value.fullName) === value.fullName;
		return { repository: isStorable ? value.fullName : `${owner}/${repo}`, connection: id };
	}

	/** Replaces an entry, or appends one, one change at a time. The sandbox's entries are not stored. */
	#replace(before: AddedRepository | undefined, after: AddedRepository | undefined): Promise<void> {
		return this.#inTurn(async () => {
			if (before !== undefined) this.#passing.delete(repositoryKey(before));
			const passes = after !== undefined && this.#registry.isEphemeral(after.connection);
			if (passes) this.#passing.set(repositoryKey(after), after);
			const stored = this.#stored();
			const kept = after === undefined || passes ? [] : [after];
			const at = before === undefined ? -1 : stored.findIndex((each) => repositoryKey(each) === repositoryKey(before));
			const changed = at === -1 ? [...stored, ...kept] : stored.toSpliced(at, 1, ...kept);
			const unique = [...new Map(changed.map((each) => [repositoryKey(each), each])).values()];
			if (JSON.stringify(unique) !== JSON.stringify(stored)) await this.#store.set(KEPT.repositories, unique);
			this.#changed.fire();
		});
	}

	#stored(): readonly AddedRepository[] {
		const stored = this.#store.get(KEPT.repositories);
		return Array.isArray(stored) ? stored.flatMap((each) => parsed(ADDED, each) ?? []) : [];
	}
}

/** Names an entry of the list: no two have the same. */
export function repositoryKey({ connection, repository }: AddedRepository): string {
	return `${connection} ${repository.toLowerCase()}`;
}

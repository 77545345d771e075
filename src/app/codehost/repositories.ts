import type { Disposable } from "#base/disposables.ts";
import type { Event } from "#base/emitter.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { KeyValueStore, Log } from "../ports.ts";
import type { CodehostClients } from "./clients.ts";

/** A repository that a person has added, and the connection through which it is read. */
export interface AddedRepository {
	/** `owner/repo`, as the service spells it. */
	readonly repository: string;
	/** The id of a connection; it may be gone. */
	readonly connection: string;
}

/** What the list of repositories works with. */
export interface RepositoriesParts {
	readonly store: KeyValueStore;
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly log: Log;
}

/** A repository that a workspace's git remotes lead to. */
export interface Proposal {
	readonly repository: string;
	/** The ids of the connections to its host; at least one. */
	readonly connections: readonly string[];
}

/** The repositories that a person has added, in the order in which they were. The built-in sandbox's are not stored. */
export declare class Repositories implements Disposable {
	constructor(parts: RepositoriesParts);
	/** The list has changed. */
	readonly onDidChange: Event<void>;
	list(): readonly AddedRepository[];
	/**
	 * Adds a repository once the connection has read it. `text` is `owner/repo` or an address of it: a web page, an API
	 * address, or what git clones from. One that is there already is no mistake. Rejects with ClientError: `invalid` for
	 * `repository` or `connection`, or what the service says.
	 */
	add(
		wanted: { readonly connection: string; readonly repository: string },
		options?: { readonly signal?: AbortSignal | undefined },
	): Promise<AddedRepository>;
	/** Reads a repository through another connection from now on, once that has read it. Rejects as `add` does. */
	bind(
		added: AddedRepository,
		connection: string,
		options?: { readonly signal?: AbortSignal | undefined },
	): Promise<AddedRepository>;
	remove(added: AddedRepository): Promise<void>;
	/** Announces repositories that end with the window: those of the built-in sandbox. */
	addPassing(repositories: readonly AddedRepository[]): Disposable;
	/** What is not added yet of what git remotes lead to, by the exact host of a connection. */
	proposals(remotes: readonly string[]): readonly Proposal[];
	/** The connections whose host an address names, or all of them for a plain `owner/repo`. */
	connectionsFor(text: string): readonly string[];
	dispose(): void;
}

/** Names an entry of the list: no two have the same. */
export function keyOf({ connection, repository }: AddedRepository): string {
	return `${connection} ${repository.toLowerCase()}`;
}

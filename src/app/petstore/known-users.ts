import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type Infer, list, map, parsed, text } from "#base/schema.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { KeyValueStore } from "../ports.ts";

const KEY = "switchboard.petstore.users";

/** So many names are remembered of one store, the last ones; more than are created at once from a file. */
const MOST_NAMES = 1_000;

const STORED = map(list(text()));

/**
 * The names of users that were created, looked up or logged in, by connection: the contract has no listing of users. The
 * built-in sandbox's own are known from the start, and are not stored.
 */
export class KnownUsers implements Disposable {
	readonly #store: KeyValueStore;
	readonly #registry: ConnectionRegistry;
	readonly #changed = new Emitter<string>();
	readonly #passing = new Map<string, readonly string[]>();
	#lastWrite: Promise<void> = Promise.resolve();

	constructor(store: KeyValueStore, registry: ConnectionRegistry) {
		this.#store = store;
		this.#registry = registry;
	}

	/** Fires with a connection's id when a name of it has come or gone. */
	readonly onDidChange = this.#changed.event;

	/** The names of a connection, in the order of the alphabet. */
	list(connection: string): readonly string[] {
		return [...this.#of(connection)].sort((a, b) => a.localeCompare(b));
	}

	/** Adds names; one that is known already is no mistake. */
	remember(connection: string, names: readonly string[]): Promise<void> {
		return this.#change(connection, (known) => [...new Set([...known, ...names])]);
	}

	/** Takes names off the list. */
	forget(connection: string, names: readonly string[]): Promise<void> {
		return this.#change(connection, (known) => known.filter((each) => !names.includes(each)));
	}

	dispose(): void {
		this.#changed.dispose();
	}

	#of(connection: string): readonly string[] {
		if (this.#registry.isEphemeral(connection)) return this.#passing.get(connection) ?? [];
		return this.#stored()[connection] ?? [];
	}

	/** One change after the other, each from what is stored by then: other windows change it too. */
	#change(connection: string, change: (known: readonly string[]) => readonly string[]): Promise<void> {
		const write = this.#lastWrite.then(async () => {
			const before = this.#of(connection);
			const all = change(before);
			if (all.length === before.length) return;
			const after = all.slice(-MOST_NAMES);
			if (this.#registry.isEphemeral(connection)) this.#passing.set(connection, after);
			else await this.#store.set(KEY, { ...this.#stored(), [connection]: after });
			this.#changed.fire(connection);
		});
		this.#lastWrite = write.catch(() => undefined);
		return write;
	}

	/** Stored names, without those of connections that are gone. */
	#stored(): Infer<typeof STORED> {
		const stored = Object.entries(parsed(STORED, this.#store.get(KEY)) ?? {});
		return Object.fromEntries(stored.filter(([id]) => this.#registry.get(id, "petstore") !== undefined));
	}
}

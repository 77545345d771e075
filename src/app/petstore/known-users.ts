import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { KeyValueStore } from "../ports.ts";

const KEY = "switchboard.petstore.users";

/** So many names are remembered of one store, the last ones; more than are created at once from a file. */
const MOST_NAMES = 1_000;

type Names = Readonly<Record<string, readonly string[]>>;

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
		return this.#change(connection, (known) => [...known.filter((name) => !names.includes(name)), ...names]);
	}

	/** Takes a name off the list. */
	forget(connection: string, name: string): Promise<void> {
		return this.#change(connection, (known) => known.filter((each) => each !== name));
	}

	dispose(): void {
		this.#changed.dispose();
	}

	#of(connection: string): readonly string[] {
		if (this.#registry.isPassing(connection)) return this.#passing.get(connection) ?? [];
		return this.#stored()[connection] ?? [];
	}

	/** One change after the other, each from what is stored by then: other windows change it too. */
	#change(connection: string, change: (known: readonly string[]) => readonly string[]): Promise<void> {
		const write = this.#lastWrite.then(async () => {
			const before = this.#of(connection);
			const after = change(before).slice(-MOST_NAMES);
			if (JSON.stringify(this.#sorted(before)) === JSON.stringify(this.#sorted(after))) return;
			if (this.#registry.isPassing(connection)) this.#passing.set(connection, after);
			else await this.#store.set(KEY, { ...this.#stored(), [connection]: after });
			this.#changed.fire(connection);
		});
		this.#lastWrite = write.catch(() => undefined);
		return write;
	}

	#sorted(names: readonly string[]): readonly string[] {
		return [...names].sort();
	}

	/** Stored names, without entries of another shape or of connections that are gone. */
	#stored(): Names {
		const stored: unknown = this.#store.get(KEY);
		if (typeof stored !== "object" || stored === null) return {};
		return Object.fromEntries(
			Object.entries(stored).flatMap(([connection, names]: [string, unknown]) =>
				Array.isArray(names) && this.#registry.get(connection, "petstore") !== undefined
					? [[connection, names.filter((name) => typeof name === "string")]]
					: [],
			),
		);
	}
}

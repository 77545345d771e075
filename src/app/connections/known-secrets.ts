import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { Log } from "../ports.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionRegistry } from "./registry.ts";
import { SERVICES } from "./services.ts";
import type { ClosedState, Held } from "./vault.ts";

/** Reads all stored secrets, even unused ones, so that the vault redacts them, and tracks which are missing or broken. */
export class KnownSecrets extends ResourceOwner {
	readonly #registry: ConnectionRegistry;
	readonly #log: Log;
	readonly #changed = this.held.add(new Emitter<string>());
	readonly #states = new Map<string, ClosedState | "present">();
	#read: Promise<unknown>;

	constructor(registry: ConnectionRegistry, log: Log) {
		super();
		this.#registry = registry;
		this.#log = log;
		this.#read = this.#readAll(registry.stored());
		this.held.add(
			registry.onDidChange(({ ids }) => {
				for (const id of ids) if (registry.get(id) === undefined) this.#states.delete(id);
				const others = registry.stored().filter(({ id }) => ids.includes(id));
				this.#read = Promise.all([this.#read, this.#readAll(others)]);
			}),
		);
	}

	/** Fires with the id of a connection whose secret became usable or unusable. */
	readonly onDidChange = this.#changed.event;

	/** Reason why the secret cannot be used; undefined if it can, is not needed, or is not known. */
	closedBy(id: string): ClosedState | undefined {
		const state = this.#states.get(id);
		return state === "present" ? undefined : state;
	}

	/** True if a usable secret is known to be stored. */
	holds(id: string): boolean {
		return this.#states.get(id) === "present";
	}

	/** Resolves once all stored secrets are registered. Never rejects; failures are logged. */
	async ready(): Promise<void> {
		await this.#read;
	}

	/** Reads a secret and records its state. */
	async read(connection: Connection): Promise<Held> {
		const { id, service } = connection;
		const held = await this.#registry.secret(connection);
		const closed = held.closed ?? "present";
		const state = closed === "lost" && !SERVICES[service].needsSecret ? undefined : closed;
		if (this.#states.get(id) === state) return held;
		if (state === undefined) this.#states.delete(id);
		else this.#states.set(id, state);
		this.#changed.fire(id);
		return held;
	}

	#readAll(connections: readonly Connection[]): Promise<unknown> {
		return Promise.all(
			connections.map((connection) =>
				this.read(connection).catch((error: unknown) => {
					this.#log.warn(`The secret of ${connection.label} could not be read: ${String(error)}`);
				}),
			),
		);
	}
}

import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import type { ConnectionSettings, Log } from "../ports.ts";
import { type Connection, decodeBaseUrl, decodeConnections, decodeProfile, originOf } from "./connection.ts";
import type { Profile } from "./profiles.ts";
import type { Held, SecretOwner, Vault } from "./vault.ts";

/** What a connection is made of, before it has an id. */
export interface ConnectionDraft {
	readonly label: string;
	readonly baseUrl: string;
	readonly profile: Profile;
	readonly model?: string;
}

/** Asks the service whether it takes the key, without side effects. Resolves to the error when it does not. */
export type Probe = (draft: ConnectionDraft, key: string | undefined, signal?: AbortSignal) => Promise<ProbeResult>;

/** What came of a probe. `ms` is the time it took. */
export interface ProbeResult {
	readonly ms: number;
	readonly status?: number;
	readonly error?: ClientError;
}

/** What the registry works with. */
export interface RegistryParts {
	readonly settings: ConnectionSettings;
	readonly vault: Vault;
	readonly probe: Probe;
	readonly clock: Clock;
	readonly log: Log;
}

/**
 * The connections and their keys: adds (validate, store, read back, announce), changes and removes them. The list lives
 * in the person's settings and is read afresh each time; connections to the built-in sandbox live only as long as it.
 */
export class ConnectionRegistry implements Disposable {
	readonly #parts: RegistryParts;
	readonly #passing = new Map<string, { connection: Connection; key: string }>();
	readonly #changed = new Emitter<void>();
	readonly #subscription: Disposable;
	#reported = "";
	#lastWrite: Promise<void> = Promise.resolve();

	constructor(parts: RegistryParts) {
		this.#parts = parts;
		this.#subscription = parts.settings.onDidChange(() => this.#changed.fire());
	}

	readonly onDidChange = this.#changed.event;

	list(): readonly Connection[] {
		const { connections, problems } = decodeConnections(this.#parts.settings.read());
		const report = problems.join("\n");
		if (report !== this.#reported) {
			this.#reported = report;
			for (const problem of problems) this.#parts.log.warn(problem);
		}
		const passing = [...this.#passing.values()].map((each) => each.connection);
		// Nobody's settings may take the place of the sandbox.
		return [...connections.filter(({ id }) => !this.#passing.has(id)), ...passing];
	}

	/** The connections that live in the settings and can be changed: all but the built-in sandbox's. */
	stored(): readonly Connection[] {
		return decodeConnections(this.#parts.settings.read()).connections;
	}

	get(id: string): Connection | undefined {
		return this.list().find((each) => each.id === id);
	}

	/** The connection of that id; throws `invalid` naming the argument `connection`. */
	require(id: string): Connection {
		const found = this.get(id);
		if (found === undefined) throw invalid("messages", "connection", `"${id}" is not one of the connections`);
		return found;
	}

	/** The key of a connection, from the vault. */
	async key(connection: Connection): Promise<Held> {
		const passing = this.#passing.get(connection.id);
		if (passing !== undefined) return { state: "present", secret: passing.key };
		return this.#parts.vault.read(ownerOf(connection));
	}

	/** Validates against the service, stores the key, reads it back, and only then announces the connection. */
	async add(draft: ConnectionDraft, key: string | undefined, signal?: AbortSignal): Promise<Connection> {
		const connection = { ...checked(draft), id: this.#newId(), service: "messages" as const };
		await this.#validate(connection, key, signal);
		if (key !== undefined) await this.#parts.vault.write(ownerOf(connection), key);
		await this.#save((stored) => [...stored, connection]);
		return connection;
	}

	/**
	 * Changes a connection, after asking the service again where the change reaches it. A key stays with its origin: one entered for the old origin
	 * is never sent to a new one, which starts without a key unless `key` brings its own.
	 */
	async edit(
		id: string,
		change: Partial<ConnectionDraft>,
		options: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
	): Promise<Connection> {
		const before = this.require(id);
		this.#refusePassing(before);
		const after = { id, service: before.service, ...checked({ ...before, ...change }) };
		const key = options.key ?? (await this.#secretOf(after));
		const reach = ({ baseUrl, profile }: Connection) => JSON.stringify([baseUrl, profile]);
		const reaches = reach(after) !== reach(before) || options.key !== undefined;
		if (reaches) await this.#validate(after, key, options.signal);
		if (options.key !== undefined) await this.#parts.vault.write(ownerOf(after), options.key);
		await this.#save((stored) => stored.map((each) => (each.id === id ? after : each)));
		if (originOf(before.baseUrl) !== originOf(after.baseUrl)) await this.#parts.vault.forget(ownerOf(before));
		return after;
	}

	/** Replaces the key after the service has accepted the new one. */
	async replaceKey(id: string, key: string, signal?: AbortSignal): Promise<void> {
		const connection = this.require(id);
		this.#refusePassing(connection);
		await this.#validate(connection, key, signal);
		await this.#parts.vault.write(ownerOf(connection), key);
		this.#changed.fire();
	}

	/** Removes a connection and its key. */
	async remove(id: string): Promise<void> {
		const connection = this.require(id);
		if (this.#passing.delete(id)) {
			this.#changed.fire();
			return;
		}
		await this.#save((stored) => stored.filter((each) => each.id !== id));
		await this.#parts.vault.forget(ownerOf(connection));
	}

	/** Asks the service with what is stored. */
	async test(id: string, signal?: AbortSignal): Promise<ProbeResult> {
		const connection = this.require(id);
		const held = await this.key(connection);
		return this.#parts.probe(connection, held.state === "present" ? held.secret : undefined, signal);
	}

	/** Sets the model that a connection asks for. */
	async setModel(id: string, model: string): Promise<void> {
		const passing = this.#passing.get(id);
		if (passing !== undefined) {
			this.#passing.set(id, { ...passing, connection: { ...passing.connection, model } });
			this.#changed.fire();
			return;
		}
		this.require(id);
		await this.#save((stored) => stored.map((each) => (each.id === id ? { ...each, model } : each)));
	}

	/** Announces a connection that ends with the window, with its key in memory only: the built-in sandbox's. */
	addPassing(connection: Connection, key: string): Disposable {
		this.#passing.set(connection.id, { connection, key });
		this.#changed.fire();
		return { dispose: () => this.#passing.delete(connection.id) && this.#changed.fire() };
	}

	dispose(): void {
		this.#subscription.dispose();
		this.#changed.dispose();
	}

	/**
	 * Writes the changed list, one writer after the other: two commands at once must not lose each other's work. Entries
	 * that could not be read stay in the settings as they are: a slip of the pen must not cost a connection.
	 */
	#save(change: (stored: readonly Connection[]) => readonly Connection[]): Promise<void> {
		const write = this.#lastWrite.then(async () => {
			const raw = this.#parts.settings.read();
			const entries: readonly unknown[] = Array.isArray(raw) ? raw : [];
			const unreadable = entries.filter(
				(entry): entry is object =>
					typeof entry === "object" && entry !== null && decodeConnections([entry]).connections.length === 0,
			);
			await this.#parts.settings.write([...change(decodeConnections(raw).connections), ...unreadable]);
			this.#changed.fire();
		});
		this.#lastWrite = write.catch(() => undefined);
		return write;
	}

	async #secretOf(connection: Connection): Promise<string | undefined> {
		const held = await this.key(connection);
		return held.state === "present" ? held.secret : undefined;
	}

	async #validate(connection: Connection, key: string | undefined, signal?: AbortSignal): Promise<void> {
		const { error } = await this.#parts.probe(connection, key, signal);
		if (error !== undefined) throw error;
	}

	#refusePassing(connection: Connection): void {
		if (!this.#passing.has(connection.id)) return;
		throw invalid("messages", "connection", "is the built-in sandbox, which cannot be changed");
	}

	#newId(): string {
		const taken = new Set(this.list().map((each) => each.id));
		for (;;) {
			const id = `messages-${Math.floor(this.#parts.clock.random() * 36 ** 6)
				.toString(36)
				.padStart(6, "0")}`;
			if (!taken.has(id)) return id;
		}
	}
}

/** Whose secret the key of a connection is. */
export function ownerOf(connection: Connection): SecretOwner {
	return { service: connection.service, origin: originOf(connection.baseUrl), identity: connection.id };
}

function checked(draft: ConnectionDraft): ConnectionDraft {
	if (typeof draft.label !== "string" || draft.label.trim() === "") {
		throw invalid("messages", "label", "must be a non-empty text");
	}
	const profile = decodeProfile(draft.profile, "profile");
	return {
		label: draft.label.trim(),
		baseUrl: decodeBaseUrl(draft.baseUrl, "baseUrl"),
		profile,
		...(draft.model === undefined || draft.model === "" ? {} : { model: draft.model }),
	};
}

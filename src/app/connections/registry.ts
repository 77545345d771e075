import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import type { ConnectionSettings, Log } from "../ports.ts";
import {
	type CodehostCredential,
	type Connection,
	type ConnectionDraft,
	type ConnectionService,
	type ConnectionTo,
	decodeConnections,
	decodeDraft,
	originOf,
} from "./connection.ts";
import { type Held, keyOf, type SecretOwner, type Vault } from "./vault.ts";

/** Asks the service whether it takes the secret, without side effects; the connection may not be in the list yet. Resolves to the error when it does not. */
export type Probe = (connection: Connection, secret: string | undefined, signal?: AbortSignal) => Promise<ProbeResult>;

/** What came of a probe. `ms` is the time it took. */
export interface ProbeResult {
	readonly ms: number;
	readonly status?: number;
	readonly error?: ClientError;
	/** The draft's credential with what the service has told of it; of code hosts only. */
	readonly credential?: CodehostCredential;
}

/** What of a connection is to be otherwise; read as the settings are, so that errors name the part. */
export type ConnectionChange = Partial<
	Readonly<Record<"label" | "baseUrl" | "profile" | "model" | "credential" | "format", unknown>>
>;

/** What the registry works with. */
export interface RegistryParts {
	readonly settings: ConnectionSettings;
	readonly vault: Vault;
	readonly probe: Probe;
	readonly clock: Clock;
	readonly log: Log;
}

const ANY = "one of the connections";

/** What each kind of connection is called in a sentence. */
const KINDS: Readonly<Record<ConnectionService, string>> = {
	messages: ANY,
	codehost: "a connection to a code host",
	petstore: "a connection to a pet store",
};

/**
 * The connections and their secrets: adds (validate, store, read back, announce), changes and removes them. The list lives
 * in the person's settings and is read afresh each time; connections to the built-in sandbox live only as long as it.
 */
export class ConnectionRegistry implements Disposable {
	readonly #parts: RegistryParts;
	readonly #passing = new Map<string, { connection: Connection; secret: string }>();
	readonly #changed = new Emitter<void>();
	readonly #secretChanged = new Emitter<string>();
	readonly #problemsFound = new Emitter<readonly string[]>();
	readonly #subscriptions = new DisposableStore();
	#reported = "";
	#lastWrite: Promise<void> = Promise.resolve();

	constructor(parts: RegistryParts) {
		this.#parts = parts;
		this.#subscriptions.add(parts.settings.onDidChange(() => this.#changed.fire()));
		this.#subscriptions.add(parts.vault.onDidChange((key) => this.#tellOwner(key)));
	}

	/** The list, or what a connection is made of, has changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires with the id of a connection whose secret was stored, replaced or removed, in this window or another. */
	readonly onDidChangeSecret = this.#secretChanged.event;

	/** Fires with a sentence for each entry of the settings that cannot be used, whenever these have changed. */
	readonly onDidFindProblems = this.#problemsFound.event;

	/** All connections, or those to one service. */
	list(): readonly Connection[];
	list<S extends ConnectionService>(service: S): readonly ConnectionTo<S>[];
	list(service?: ConnectionService): readonly Connection[] {
		const all = this.#all();
		return service === undefined ? all : all.filter((each) => each.service === service);
	}

	#all(): readonly Connection[] {
		const { connections, problems } = decodeConnections(this.#parts.settings.read());
		// Saving others moves an entry; that is no news.
		const report = problems.map((problem) => problem.replace(/\[\d+\]/, "")).join("\n");
		if (report !== this.#reported) {
			this.#reported = report;
			for (const problem of problems) this.#parts.log.warn(problem);
			if (problems.length > 0) this.#problemsFound.fire(problems);
		}
		const passing = [...this.#passing.values()].map((each) => each.connection);
		// Nobody's settings may take the place of the sandbox.
		return [...connections.filter(({ id }) => !this.#passing.has(id)), ...passing];
	}

	/** The connections that live in the settings and can be changed: all but the built-in sandbox's. */
	stored(): readonly Connection[] {
		return decodeConnections(this.#parts.settings.read()).connections;
	}

	/** The connection of that id, if there is one, and it is to that service where one is named. */
	get(id: string): Connection | undefined;
	get<S extends ConnectionService>(id: string, service: S): ConnectionTo<S> | undefined;
	get(id: string, service?: ConnectionService): Connection | undefined {
		return this.#all().find((each) => each.id === id && (service === undefined || each.service === service));
	}

	/** The same; throws `invalid` naming the argument `connection` when there is none. */
	require(id: string): Connection;
	require<S extends ConnectionService>(id: string, service: S): ConnectionTo<S>;
	require(id: string, service?: ConnectionService): Connection {
		const found = service === undefined ? this.get(id) : this.get(id, service);
		if (found !== undefined) return found;
		throw invalid(
			service ?? "messages",
			"connection",
			`"${id}" is not ${service === undefined ? ANY : KINDS[service]}`,
		);
	}

	/** Whether a connection is the built-in sandbox's: nothing of it is stored, and it cannot be changed. */
	isPassing(id: string): boolean {
		return this.#passing.has(id);
	}

	/** The secret of a connection, from the vault. */
	async secret(connection: Connection): Promise<Held> {
		const passing = this.#passing.get(connection.id);
		if (passing !== undefined) return { state: "present", secret: passing.secret };
		return this.#parts.vault.read(ownerOf(connection));
	}

	/** Validates against the service, stores the secret, reads it back, and only then announces the connection. */
	async add<S extends ConnectionService>(
		draft: ConnectionDraft & { readonly service: S },
		secret: string | undefined,
		signal?: AbortSignal,
	): Promise<ConnectionTo<S>>;
	async add(draft: ConnectionDraft, secret: string | undefined, signal?: AbortSignal): Promise<Connection> {
		return this.#store(await this.#validated(this.#named(draft), secret, signal), secret);
	}

	/** Adds a connection without asking the service: for a person who knows that it is not there just now. */
	async keep(draft: ConnectionDraft, secret: string | undefined): Promise<Connection> {
		return this.#store(this.#named(draft), secret);
	}

	/**
	 * Changes a connection after asking the service again, unless only its name changes. A secret stays with whom it was
	 * entered for: one for the old origin, app or kind of credential is never used for a new one, which starts without a
	 * secret unless `secret` brings its own.
	 */
	async edit(
		id: string,
		change: ConnectionChange,
		options: { readonly secret?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
	): Promise<Connection> {
		const before = this.require(id);
		this.#refusePassing(before);
		const asked = { ...checked({ ...before, ...change }), id };
		const isRenamed = JSON.stringify(asked) === JSON.stringify({ ...checked({ ...before, label: asked.label }), id });
		const secret = options.secret ?? (await this.#secretOf(asked));
		const after =
			isRenamed && options.secret === undefined ? asked : await this.#validated(asked, secret, options.signal);
		if (options.secret !== undefined) await this.#parts.vault.write(ownerOf(after), options.secret);
		await this.#save((stored) => stored.map((each) => (each.id === id ? after : each)));
		if (keyOf(ownerOf(before)) !== keyOf(ownerOf(after))) await this.#parts.vault.forget(ownerOf(before));
		return after;
	}

	/**
	 * Replaces the secret after the service has accepted the new one; signs in again where there was none. What a person
	 * said of the old one, such as when it expires, is forgotten with it.
	 */
	async replaceSecret(id: string, secret: string, signal?: AbortSignal): Promise<void> {
		const connection = this.require(id);
		this.#refusePassing(connection);
		const asked = withoutExpiry(connection);
		const after = await this.#validated(asked, secret, signal);
		await this.#parts.vault.write(ownerOf(after), secret);
		if (JSON.stringify(after) === JSON.stringify(connection)) this.#changed.fire();
		else await this.#save((stored) => stored.map((each) => (each.id === id ? after : each)));
	}

	/**
	 * Removes the secret and keeps the connection, which says from then on that it is signed out: what a person has
	 * set up around it, such as repositories, is there again once they sign in. The sandbox's connection goes.
	 */
	async signOut(id: string): Promise<void> {
		const connection = this.require(id);
		this.#refusePassing(connection);
		if (connection.service === "messages") {
			throw invalid("messages", "connection", "is a messages service; replace its key, or remove it");
		}
		await this.#parts.vault.forget(ownerOf(connection));
		this.#changed.fire();
	}

	/** Removes a connection and its secret. */
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
		return this.#parts.probe(connection, await this.#secretOf(connection), signal);
	}

	/** Sets the model that a connection to a messages service asks for. */
	async setModel(id: string, model: string): Promise<void> {
		const connection = { ...this.require(id, "messages"), model };
		const passing = this.#passing.get(id);
		if (passing !== undefined) {
			this.#passing.set(id, { ...passing, connection });
			this.#changed.fire();
			return;
		}
		await this.#save((stored) => stored.map((each) => (each.id === id ? connection : each)));
	}

	/** Announces a connection that ends with the window, with its secret in memory only: the built-in sandbox's. */
	addPassing(connection: Connection, secret: string): Disposable {
		this.#parts.vault.learn(secret);
		this.#passing.set(connection.id, { connection, secret });
		this.#changed.fire();
		return { dispose: () => this.#passing.delete(connection.id) && this.#changed.fire() };
	}

	dispose(): void {
		this.#subscriptions.dispose();
		this.#changed.dispose();
		this.#secretChanged.dispose();
		this.#problemsFound.dispose();
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

	#named(draft: ConnectionDraft): Connection {
		return { ...checked(draft), id: this.#newId(draft.service) };
	}

	async #store(connection: Connection, secret: string | undefined): Promise<Connection> {
		if (secret !== undefined) await this.#parts.vault.write(ownerOf(connection), secret);
		await this.#save((stored) => [...stored, connection]);
		return connection;
	}

	async #secretOf(connection: Connection): Promise<string | undefined> {
		const held = await this.secret(connection);
		return held.state === "present" ? held.secret : undefined;
	}

	/** The connection with what the service tells of its credential. Throws what the service refuses it for. */
	async #validated(connection: Connection, secret: string | undefined, signal?: AbortSignal): Promise<Connection> {
		const { error, credential } = await this.#parts.probe(connection, secret, signal);
		if (error !== undefined) throw error;
		return connection.service === "codehost" && credential !== undefined ? { ...connection, credential } : connection;
	}

	#tellOwner(key: string): void {
		for (const connection of decodeConnections(this.#parts.settings.read()).connections) {
			if (keyOf(ownerOf(connection)) === key) this.#secretChanged.fire(connection.id);
		}
	}

	#refusePassing(connection: Connection): void {
		if (!this.#passing.has(connection.id)) return;
		throw invalid(connection.service, "connection", "is the built-in sandbox, which cannot be changed");
	}

	#newId(service: ConnectionService): string {
		const taken = new Set(this.list().map((each) => each.id));
		for (;;) {
			const id = `${service}-${Math.floor(this.#parts.clock.random() * 36 ** 6)
				.toString(36)
				.padStart(6, "0")}`;
			if (!taken.has(id)) return id;
		}
	}
}

/** Whose secret that of a connection is: a token never does for an app, nor the key of one app for another. */
export function ownerOf(connection: Connection): SecretOwner {
	const { service, id } = connection;
	return { service, origin: originOf(connection.baseUrl), identity: `${id}${credentialOf(connection)}` };
}

function credentialOf(connection: Connection): string {
	if (connection.service !== "codehost") return "";
	const { credential } = connection;
	return credential.kind === "app" ? ` app ${credential.appId}` : " pat";
}

function withoutExpiry(connection: Connection): Connection {
	if (connection.service !== "codehost" || connection.credential.kind !== "pat") return connection;
	const { expiresAt: _, ...credential } = connection.credential;
	return { ...connection, credential };
}

function checked(draft: ConnectionChange & { readonly service: ConnectionService }): ConnectionDraft {
	return decodeDraft(draft, { service: draft.service, field: "" });
}

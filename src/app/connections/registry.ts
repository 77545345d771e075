import type { Abilities } from "#api/messages/model-facts.ts";
import { type Clock, randomWord } from "#base/clock.ts";
import { type Disposable, ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import type { ConnectionSettings, Log } from "../ports.ts";
import { type Connection, type ConnectionService, type ConnectionTo, listedModels } from "./connection.ts";
import type { Asking, Probe, ProbeResult } from "./probe-result.ts";
import { identityOf, SERVICES } from "./services.ts";
import { decodeConnections, decodeDraft, StoredConnections } from "./stored-connections.ts";
import { type Held, ownerOf, storageKeyOf, type Vault, withReason } from "./vault.ts";

/** Changed parts of a connection; read as the settings are, so that errors name the part. */
export type ConnectionChange = Partial<
	Readonly<Record<"label" | "baseUrl" | "profile" | "model" | "models" | "limits" | "credential" | "format", unknown>>
>;

/** Options of saving a connection. */
export interface SaveOptions extends Asking {
	/** Saves without asking a service that is down. A code host is always asked: it knows the owner. */
	readonly unasked?: boolean | undefined;
	/** Hears the secrets that the service wants besides, by their fields: {@link ProbeResult.lacks}. */
	readonly onLacking?: (names: readonly string[]) => void;
}

interface RegistryParts {
	readonly settings: ConnectionSettings;
	readonly vault: Vault;
	readonly probe: Probe;
	readonly clock: Clock;
	readonly log: Log;
}

/** Connections in the person's settings and their secrets, and those of the sandbox, which are in memory. */
export class ConnectionRegistry extends ResourceOwner {
	readonly #parts: RegistryParts;
	readonly #passing = new Map<string, { connection: Connection; secret: string }>();
	readonly #changed = this.held.add(
		new Emitter<{
			/** New, changed, signed out or removed connections, and those with another secret. */
			readonly ids: readonly string[];
			/** Ids among them whose secret was stored, replaced or removed, in any window. */
			readonly secrets: readonly string[];
		}>(),
	);
	readonly #stored: StoredConnections;
	/** Each connection as of the last change event, by id, as JSON. */
	#texts: ReadonlyMap<string, string>;

	constructor(parts: RegistryParts) {
		super();
		this.#parts = parts;
		this.#stored = this.held.add(new StoredConnections(parts.settings, parts.log));
		// Problems are reported once there are listeners.
		this.#texts = textsOf(decodeConnections(parts.settings.read()).connections);
		this.held.add(this.#stored.onDidChange(() => this.#tellChanged()));
		this.held.add(parts.vault.onDidChange((key) => this.#tellOwner(key)));
	}

	/** Fires when the list or a secret may have changed, naming the connections. */
	readonly onDidChange = this.#changed.event;

	/** Fires with a sentence for each unusable entry of the settings when these change. */
	get onDidFindProblems(): StoredConnections["onDidFindProblems"] {
		return this.#stored.onDidFindProblems;
	}

	/** All connections, or those to one service. */
	list<S extends ConnectionService = ConnectionService>(service?: S): readonly ConnectionTo<S>[] {
		const passing = [...this.#passing.values()].map((each) => each.connection);
		// An entry of the settings never replaces the sandbox.
		const all = [...this.#stored.read().filter(({ id }) => !this.#passing.has(id)), ...passing];
		return all.filter((each): each is ConnectionTo<S> => service === undefined || each.service === service);
	}

	/** The connections that live in the settings and can be changed: all but the built-in sandbox's. */
	stored(): readonly Connection[] {
		return this.#stored.read();
	}

	/** The connection of that id, if it exists and belongs to the service. */
	get<S extends ConnectionService = ConnectionService>(id: string, service?: S): ConnectionTo<S> | undefined {
		return this.list(service).find((each) => each.id === id);
	}

	/** Gets the connection of that id; throws `invalid` naming the argument `connection` when there is none. */
	require<S extends ConnectionService = ConnectionService>(id: string, service?: S): ConnectionTo<S> {
		const found = this.get(id, service);
		if (found !== undefined) return found;
		const other = this.get(id)?.service;
		const isOther = other !== undefined && service !== undefined;
		const rule = isOther
			? `is a ${SERVICES[other].name}; this is for a ${SERVICES[service].name}`
			: "is not one of the connections";
		throw invalid(service ?? "messages", "connection", `"${id}" ${rule}`);
	}

	/** Label of a connection for a person, who knows no ids. */
	labelOf(id: string): string {
		return this.get(id)?.label ?? "a removed connection";
	}

	/** True if a connection is the built-in sandbox's: nothing of it is stored, and it cannot be changed. */
	isEphemeral(id: string): boolean {
		return this.#passing.has(id);
	}

	/** The secret of a connection, from the vault. */
	async secret(connection: Connection): Promise<Held> {
		const passing = this.#passing.get(connection.id);
		if (passing !== undefined) return { secret: passing.secret };
		return this.#parts.vault.read(ownerOf(connection));
	}

	/** Unused label: the wanted one, else with the owner of its credential, else with a number. */
	unusedLabel(wanted: string, whose?: string): string {
		const all = this.list();
		const taken = new Set(all.map(({ label }) => label));
		const first = all.find(({ label }) => label === wanted);
		const isTelling = whose !== undefined && first !== undefined && identityOf(first).holder !== whose;
		const named = isTelling ? `${wanted} (${oneLine(whose)})` : wanted;
		let label = named;
		for (let count = 2; taken.has(label); count++) label = `${named} ${count}`;
		return label;
	}

	/** Validates, stores the secret, reads it back, and then announces the connection, with an unused label. */
	async add<S extends ConnectionService>(
		draft: ConnectionChange & { readonly service: S },
		secret: string | undefined,
		options: SaveOptions = {},
	): Promise<ConnectionTo<S>> {
		const asked = { ...decodeDraft(draft), id: `${draft.service}-${randomWord(this.#parts.clock, 8)}` };
		const told = await this.#validated(asked, secret, options).catch((error: unknown) => {
			const isXml = "format" in asked && error instanceof ClientError && error.reason === "xml-needed";
			if (!isXml) throw error;
			return this.#validated({ ...asked, format: "xml" }, secret, options);
		});
		let connection = told;
		const announce = () =>
			this.#stored.save((stored) => {
				// Connections added at the same moment have their labels by now.
				connection = { ...told, label: this.unusedLabel(asked.label, identityOf(told).holder) };
				return [...stored, connection];
			});
		await this.#keep(told, secret, announce);
		// A draft becomes a connection to its own service.
		return connection as ConnectionTo<S>;
	}

	/**
	 * Changes a connection after asking the service, unless only its name, limits or a token's expiry change. A secret is bound to
	 * its origin, app and kind of credential: a new one of these drops it, and a code host must bring another `secret`.
	 */
	async edit(
		id: string,
		change: ConnectionChange,
		options: SaveOptions & { readonly secret?: string | undefined } = {},
	): Promise<Connection> {
		const before = this.require(id);
		this.#refusePassing(before);
		const asked = { ...decodeDraft({ ...before, ...change }), id };
		const isTaken = this.list().some((other) => other.id !== id && other.label === asked.label);
		if (asked.label !== before.label && isTaken) {
			throw invalid(asked.service, "label", `"${asked.label}" is the name of another connection`);
		}
		const accessOf = (each: Connection) =>
			JSON.stringify({ ...each, label: "", limits: undefined, credential: identityOf(each).undated });
		const isRenamed = accessOf({ ...decodeDraft(before), id }) === accessOf(asked);
		const held = await this.secret(asked);
		const secret = options.secret ?? held.secret;
		const isStored = options.secret === undefined;
		const after =
			isRenamed && isStored
				? asked
				: await this.#validated(asked, secret, { ...options, isStored }).catch((error: unknown) => {
						throw secret === undefined ? withReason(error, asked, held) : error;
					});
		const isOthers = storageKeyOf(ownerOf(before)) !== storageKeyOf(ownerOf(after));
		await this.#keep(after, options.secret, () => this.#stored.replace(after));
		if (isOthers) await this.#parts.vault.forget(ownerOf(before));
		return after;
	}

	/** Replaces the secret once the service accepts it, and drops facts about the old one. Also signs in again. */
	async replaceSecret(id: string, secret: string, options: SaveOptions = {}): Promise<Connection> {
		return this.edit(id, { credential: identityOf(this.require(id)).undated }, { ...options, secret });
	}

	/** Removes the secret and keeps the connection as signed out, with its repositories. Throws `invalid` if it never had one. */
	async signOut(id: string): Promise<void> {
		const connection = this.require(id);
		this.#refusePassing(connection);
		const { closed } = await this.secret(connection);
		if (closed === "lost" && !SERVICES[connection.service].needsSecret) {
			throw invalid(connection.service, "connection", "has no stored key or token to sign out of");
		}
		await this.#parts.vault.signOut(ownerOf(connection));
		this.#changed.fire({ ids: [id], secrets: [] });
	}

	/** Removes a connection and its secret. */
	async remove(id: string): Promise<void> {
		const connection = this.require(id);
		if (this.#passing.delete(id)) {
			this.#tellChanged();
			return;
		}
		await this.#stored.save((stored) => stored.filter((each) => each.id !== id));
		await this.#parts.vault.forget(ownerOf(connection));
	}

	/** Tests the stored connection, and stores the owner of its credential where the settings name none. */
	async test(id: string, asking: Asking = {}): Promise<ProbeResult> {
		const connection = this.require(id);
		const held = await this.secret(connection);
		const asked = await this.#parts.probe(connection, held.secret, asking);
		const { error, credential } = asked;
		const result = error === undefined ? asked : { ...asked, error: withReason(error, connection, held) };
		if (!identityOf(connection).isUnidentified || credential === undefined || this.isEphemeral(id)) return result;
		const now = this.get(id);
		// A secret that was replaced meanwhile is identified by the call that replaced it.
		if (now === undefined || !identityOf(now).isUnidentified) return result;
		if ((await this.secret(now)).secret === held.secret) await this.#stored.replace(withCredential(now, credential));
		return result;
	}

	/** Sets the model that a connection to a messages service asks for. */
	async setModel(id: string, model: string): Promise<void> {
		await this.#replace({ ...this.require(id, "messages"), model });
	}

	/** Sets a person's own facts about a model; `undefined` leaves an ability to the service. */
	async setAbilities(id: string, model: string, abilities: Partial<Record<keyof Abilities, unknown>>): Promise<void> {
		const connection = this.require(id, "messages");
		const { models: all = [] } = connection;
		const { capabilities, ...own } = listedModels(connection).find(({ name }) => name === model) ?? { name: model };
		const said = { ...own, capabilities: { ...capabilities, ...abilities } };
		const models = [...all.filter((each) => (typeof each === "string" ? each : each.name) !== model), said];
		await this.#replace({ ...decodeDraft({ ...connection, models }), id });
	}

	async #replace(connection: Connection): Promise<void> {
		const { id } = connection;
		const passing = this.#passing.get(id);
		if (passing !== undefined) {
			this.#passing.set(id, { ...passing, connection });
			this.#tellChanged();
			return;
		}
		await this.#stored.replace(connection);
	}

	/** Announces a connection that ends with the window, with its secret in memory only: the built-in sandbox's. */
	addPassing(connection: Connection, secret: string): Disposable {
		this.#parts.vault.learn(ownerOf(connection), secret);
		this.#passing.set(connection.id, { connection, secret });
		this.#tellChanged();
		return { dispose: () => this.#passing.delete(connection.id) && this.#tellChanged() };
	}

	/** Connection completed by the service's reply about its secret. Throws the service's refusal. */
	async #validated(
		connection: Connection,
		secret: string | undefined,
		{ unasked, isStored = false, ...asking }: SaveOptions & { readonly isStored?: boolean },
	): Promise<Connection> {
		const { kind, anonymous } = identityOf(connection);
		if (unasked === true && kind === undefined) return connection;
		const asked = isStored ? connection : withCredential(connection, anonymous);
		const { error, credential, lacks = [] } = await this.#parts.probe(asked, secret, asking);
		if (error !== undefined) throw error;
		asking.onLacking?.(lacks);
		return withCredential(connection, credential);
	}

	/** Stores the secret, if there is one, and announces its connection: both or neither. */
	async #keep(connection: Connection, secret: string | undefined, announce: () => Promise<unknown>): Promise<void> {
		if (secret === undefined) await announce();
		else await this.#parts.vault.write(ownerOf(connection), secret, announce);
	}

	#tellChanged(): void {
		const before = this.#texts;
		const now = textsOf(this.list());
		this.#texts = now;
		const ids = new Set([...before.keys(), ...now.keys()]);
		this.#changed.fire({ ids: [...ids].filter((id) => before.get(id) !== now.get(id)), secrets: [] });
	}

	#tellOwner(key: string): void {
		const owners = this.#stored.read().filter((each) => storageKeyOf(ownerOf(each)) === key);
		const secrets = owners.map(({ id }) => id);
		if (secrets.length > 0) this.#changed.fire({ ids: secrets, secrets });
	}

	#refusePassing(connection: Connection): void {
		if (!this.#passing.has(connection.id)) return;
		throw invalid(connection.service, "connection", "is the built-in sandbox, which cannot be changed");
	}
}

function withCredential(connection: Connection, credential: ProbeResult["credential"]) {
	return credential === undefined ? connection : { ...connection, credential };
}

function textsOf(connections: readonly Connection[]): ReadonlyMap<string, string> {
	return new Map(connections.map((each) => [each.id, JSON.stringify(each)]));
}

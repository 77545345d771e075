import type { RequestNotice } from "#api/http/notice.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter, type Event } from "#base/emitter.ts";
import type { Log } from "../ports.ts";
import type { ConnectionService, ConnectionTo } from "./connection.ts";
import { ownerOf } from "./credential-identity.ts";
import { type ClosedState, closedBy, closedError } from "./missing-secret.ts";
import type { ConnectionRegistry } from "./registry.ts";
import { type Held, keyOf } from "./vault.ts";

/** Usability of a connection, as far as is known without asking its service. */
export type AccessState = "unused" | "open" | ClosedState;

/** A connection in use. */
export interface ServiceAccess extends Disposable {
	readonly onRequest: Event<RequestNotice>;
	/** Something of it that is shown has changed. */
	readonly onDidChange?: Event<void>;
}

/** Opening of the connections to one service. */
export interface Opening<S extends ConnectionService, A extends ServiceAccess> {
	readonly service: S;
	/** Name of its secret, as the field of an error. */
	secretName(connection: ConnectionTo<S>): string;
	/** True if nothing can be done there without a secret. */
	readonly needsSecret: boolean;
	/** Identity of the connection beside address, profile and the owner of its secret. */
	identityOf(connection: ConnectionTo<S>): unknown;
	/** Makes an access; the secret is there where one is needed. Throws ClientError for what is wrong with it. */
	make(connection: ConnectionTo<S>, secret: string | undefined): A;
}

interface Entry<A> {
	/** Identity of the connection when it was opened. */
	readonly key: string;
	readonly opening: Promise<A>;
	access: A | undefined;
}

/**
 * One access for each connection to a service, made when it is first needed and made anew when the connection or its
 * secret changes.
 */
export class Accesses<S extends ConnectionService, A extends ServiceAccess> implements Disposable {
	readonly #registry: ConnectionRegistry;
	readonly #log: Log;
	readonly #how: Opening<S, A>;
	readonly #held = new DisposableStore();
	readonly #dropped = this.#held.add(new Emitter<string>());
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #requested = this.#held.add(new Emitter<RequestNotice & { readonly connection: string }>());
	readonly #entries = new Map<string, Entry<A>>();
	readonly #states = new Map<string, ClosedState>();

	constructor(registry: ConnectionRegistry, log: Log, how: Opening<S, A>) {
		this.#registry = registry;
		this.#log = log;
		this.#how = how;
		this.#held.add(registry.onDidChange((ids) => this.#compare(ids)));
		this.#held.add(registry.onDidChangeSecret((id) => this.#renew(id)));
	}

	/** Fires with a connection's id when its access was dropped, since it, or its secret, has changed or gone. */
	readonly onDidDrop = this.#dropped.event;

	/** Fires with a connection's id when it was opened, its state has changed, or what its access shows. */
	readonly onDidChange = this.#changed.event;

	/** Fires for every HTTP exchange, for a log of requests. */
	readonly onRequest = this.#requested.event;

	/**
	 * The connection of that id, ready to be used; callers at the same time share it. Rejects with ClientError: `invalid`
	 * for `connection`; `unauthorized` for the secret's name when it is signed out or the secret is lost or cannot be
	 * read; what is wrong with the secret.
	 */
	async open(id: string): Promise<A> {
		const connection = this.#registry.require(id, this.#how.service);
		let entry = this.#entries.get(id);
		if (entry === undefined) {
			entry = { key: this.#keyOf(connection), opening: this.#make(connection), access: undefined };
			this.#entries.set(id, entry);
			const own = entry;
			own.opening.then(
				(access) => this.#keep(id, own, access),
				() => this.#entries.get(id) === own && this.#entries.delete(id),
			);
		}
		const access = await entry.opening;
		// What it was opened with may have been replaced meanwhile.
		return this.#entries.get(id) === entry ? access : this.open(id);
	}

	/** Gets the access if it is in use already. */
	peek(id: string): A | undefined {
		return this.#entries.get(id)?.access;
	}

	/** Usability of the connection of that id. */
	stateOf(id: string): AccessState {
		return this.peek(id) === undefined ? (this.#states.get(id) ?? "unused") : "open";
	}

	/** Takes in what the storage was seen to have for a connection of any service: its state is known before it is used. */
	take(id: string, held: Held): void {
		const isOwn = this.#registry.get(id, this.#how.service) !== undefined;
		if (isOwn && this.peek(id) === undefined) this.#setState(id, this.#closedBy(held));
	}

	/** Looks into the storage, so that {@link stateOf} tells of a connection that was not used yet. */
	async look(id: string): Promise<void> {
		const connection = this.#registry.get(id, this.#how.service);
		if (connection !== undefined) this.take(id, await this.#registry.secret(connection));
	}

	dispose(): void {
		this.#held.dispose();
		for (const { access } of this.#entries.values()) access?.dispose();
		this.#entries.clear();
	}

	async #make(connection: ConnectionTo<S>): Promise<A> {
		const held = await this.#registry.secret(connection);
		const closed = this.#closedBy(held);
		if (closed === undefined) {
			this.#states.delete(connection.id);
			return this.#how.make(connection, held.state === "present" ? held.secret : undefined);
		}
		this.#setState(connection.id, closed);
		throw closedError(connection, { field: this.#how.secretName(connection), closed });
	}

	#closedBy(held: Held): ClosedState | undefined {
		const closed = closedBy(held);
		return closed === "unreadable" || this.#how.needsSecret ? closed : undefined;
	}

	#keep(id: string, entry: Entry<A>, access: A): void {
		if (this.#entries.get(id) !== entry) {
			access.dispose();
			return;
		}
		entry.access = access;
		access.onDidChange?.(() => this.#changed.fire(id));
		access.onRequest((notice) => this.#requested.fire({ ...notice, connection: id }));
		this.#changed.fire(id);
	}

	/** Drops what the settings have made another's, or nobody's. */
	#compare(ids: readonly string[]): void {
		for (const id of ids) {
			const connection = this.#registry.get(id, this.#how.service);
			const key = this.#entries.get(id)?.key;
			if (key !== undefined && (connection === undefined || this.#keyOf(connection) !== key)) this.#drop(id);
			if (connection === undefined) this.#states.delete(id);
		}
	}

	/** The secret is another, or gone: the old one is not used any more, and the state is told at once. */
	#renew(id: string): void {
		if (this.#registry.get(id, this.#how.service) === undefined) return;
		this.#drop(id);
		this.look(id).catch((error: unknown) => this.#log.error(String(error)));
	}

	#setState(id: string, state: ClosedState | undefined): void {
		if (this.#states.get(id) === state) return;
		if (state === undefined) this.#states.delete(id);
		else this.#states.set(id, state);
		this.#changed.fire(id);
	}

	#drop(id: string): void {
		const entry = this.#entries.get(id);
		this.#entries.delete(id);
		entry?.access?.dispose();
		this.#dropped.fire(id);
	}

	/** All of a connection that its access depends on. */
	#keyOf(connection: ConnectionTo<S>): string {
		const { baseUrl, profile } = connection;
		return JSON.stringify([keyOf(ownerOf(connection)), baseUrl, profile, this.#how.identityOf(connection)]);
	}
}

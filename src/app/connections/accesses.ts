import type { CallPatience } from "#api/http/caller.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter, type Event } from "#base/emitter.ts";
import type { Redactor } from "#base/redaction.ts";
import type { Log } from "../ports.ts";
import type { ConnectionService, ConnectionTo } from "./connection.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { ConnectionRegistry } from "./registry.ts";
import { SERVICES } from "./services.ts";
import { type ClosedState, closedError, ownerOf, storageKeyOf } from "./vault.ts";

/** Shared services of every access. */
export interface AccessServices {
	readonly transport: Transport;
	readonly clock: Clock;
	readonly redactor: Redactor;
	readonly log: Log;
	/** Timeouts and retries of the settings, read anew for each call. */
	readonly patience: () => CallPatience;
}

/** Usability of a connection, as far as is known without asking its service. */
export type AccessState = "unused" | "open" | ClosedState;

/** A connection in use. */
interface ServiceAccess extends Disposable {
	readonly onRequest: Event<RequestNotice>;
	/** Fires when a fact that is shown has changed. */
	readonly onDidChange?: Event<void>;
}

/** Rules by which the connections to one service are opened. */
interface Opening<S extends ConnectionService, A extends ServiceAccess> {
	readonly service: S;
	/** Name of its secret, as the field of an error. */
	secretName(connection: ConnectionTo<S>): string;
	/** Parts of its identity besides address, profile and owner. */
	identityOf(connection: ConnectionTo<S>): unknown;
	/** Creates an access, with a secret if one is needed. Throws ClientError for a bad one. */
	make(connection: ConnectionTo<S>, secret: string | undefined): A;
}

interface Entry<A> {
	/** Identity of the connection when it was opened. */
	readonly key: string;
	readonly opening: Promise<A>;
	access: A | undefined;
}

/** One access per connection, created on first use and again when the connection or its secret changes. */
export class Accesses<S extends ConnectionService, A extends ServiceAccess> implements Disposable {
	readonly #registry: ConnectionRegistry;
	readonly #secrets: KnownSecrets;
	readonly #how: Opening<S, A>;
	readonly #held = new DisposableStore();
	readonly #dropped = this.#held.add(new Emitter<string>());
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #requested = this.#held.add(new Emitter<RequestNotice & { readonly connection: string }>());
	readonly #entries = new Map<string, Entry<A>>();

	constructor(registry: ConnectionRegistry, secrets: KnownSecrets, how: Opening<S, A>) {
		this.#registry = registry;
		this.#secrets = secrets;
		this.#how = how;
		const isOwn = (id: string) => registry.get(id, how.service) !== undefined;
		this.#held.add(
			registry.onDidChange(({ ids, secrets: replaced }) => {
				for (const id of ids) {
					const connection = registry.get(id, how.service);
					const key = this.#entries.get(id)?.key;
					if (key !== undefined && (connection === undefined || this.#keyOf(connection) !== key)) this.#drop(id);
				}
				// An access with the old secret is not used any more.
				for (const id of replaced) if (isOwn(id)) this.#drop(id);
			}),
		);
		this.#held.add(secrets.onDidChange((id) => isOwn(id) && this.#changed.fire(id)));
	}

	/** Fires with the id of a connection whose access was dropped after a change. */
	readonly onDidDrop = this.#dropped.event;

	/** Fires with the id of a connection that was opened, or whose state or shown facts changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires for every HTTP exchange, for a log of requests. */
	readonly onRequest = this.#requested.event;

	/** Opens a connection, shared by callers. Rejects with ClientError: `invalid` for its id, else about the secret. */
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
		// The connection or its secret may have been replaced meanwhile.
		return this.#entries.get(id) === entry ? access : this.open(id);
	}

	/** Gets the access if it is in use already. */
	peek(id: string): A | undefined {
		return this.#entries.get(id)?.access;
	}

	/** Usability of the connection of that id. */
	stateOf(id: string): AccessState {
		return this.peek(id) === undefined ? (this.#closing(this.#secrets.closedBy(id)) ?? "unused") : "open";
	}

	dispose(): void {
		this.#held.dispose();
		for (const { access } of this.#entries.values()) access?.dispose();
		this.#entries.clear();
	}

	async #make(connection: ConnectionTo<S>): Promise<A> {
		const held = await this.#secrets.read(connection);
		const closed = this.#closing(held.closed);
		if (closed === undefined) return this.#how.make(connection, held.secret);
		throw closedError(connection, this.#how.secretName(connection), closed);
	}

	/** Reason why a connection cannot be used: if its service needs no secret, only an unreadable one matters. */
	#closing(closed: ClosedState | undefined): ClosedState | undefined {
		return closed === "unreadable" || SERVICES[this.#how.service].needsSecret ? closed : undefined;
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

	#drop(id: string): void {
		const entry = this.#entries.get(id);
		this.#entries.delete(id);
		entry?.access?.dispose();
		this.#dropped.fire(id);
	}

	/** Key of everything that an access depends on. */
	#keyOf(connection: ConnectionTo<S>): string {
		const { baseUrl, profile } = connection;
		return JSON.stringify([storageKeyOf(ownerOf(connection)), baseUrl, profile, this.#how.identityOf(connection)]);
	}
}

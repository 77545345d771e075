import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import type { Log } from "../ports.ts";
import type { ConnectionService, ConnectionTo } from "./connection.ts";
import { type ConnectionRegistry, ownerOf } from "./registry.ts";
import { keyOf } from "./vault.ts";

/** Whether a connection can be used, as far as is known without asking its service. */
export type AccessState = "unused" | "open" | "signed-out" | "unreadable";

/** How the connections to one service are opened. */
export interface Opening<S extends ConnectionService, A extends Disposable> {
	readonly service: S;
	/** What its secret is called, as the field of an error. */
	secretName(connection: ConnectionTo<S>): string;
	/** Whether nothing can be done there without a secret. */
	readonly needsSecret: boolean;
	/** What would make the connection another's if it changed, beside address, profile and the owner of its secret. */
	identityOf(connection: ConnectionTo<S>): unknown;
	/** Makes an access; the secret is there where one is needed. Throws ClientError for what is wrong with it. */
	make(connection: ConnectionTo<S>, secret: string | undefined): A;
	/** An access has come into use. */
	opened?(id: string, access: A): void;
}

/** What opening works with. */
export interface AccessesParts {
	readonly registry: ConnectionRegistry;
	readonly log: Log;
}

interface Entry<A> {
	/** What would make it another's if it changed. */
	readonly key: string;
	readonly opening: Promise<A>;
	access: A | undefined;
}

/**
 * One access for each connection to a service, made when it is first needed and made anew when the connection or its
 * secret changes.
 */
export class Accesses<S extends ConnectionService, A extends Disposable> implements Disposable {
	readonly #parts: AccessesParts;
	readonly #how: Opening<S, A>;
	readonly #held = new DisposableStore();
	readonly #dropped = this.#held.add(new Emitter<string>());
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #entries = new Map<string, Entry<A>>();
	readonly #states = new Map<string, "signed-out" | "unreadable">();

	constructor(parts: AccessesParts, how: Opening<S, A>) {
		this.#parts = parts;
		this.#how = how;
		this.#held.add(parts.registry.onDidChange(() => this.#compare()));
		this.#held.add(parts.registry.onDidChangeSecret((id) => this.#renew(id)));
	}

	/** Fires with a connection's id when its access was dropped, since it, or its secret, has changed or gone. */
	readonly onDidDrop = this.#dropped.event;

	/** Fires with a connection's id when it was opened, or its state has changed. */
	readonly onDidChange = this.#changed.event;

	/**
	 * The connection of that id, ready to be used; callers at the same time share it. Rejects with ClientError: `invalid`
	 * for `connection`; `unauthorized` for the secret's name when it is signed out or the secret cannot be read; what is
	 * wrong with the secret.
	 */
	async open(id: string): Promise<A> {
		const connection = this.#parts.registry.require(id, this.#how.service);
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

	/** The same if it is in use already. */
	peek(id: string): A | undefined {
		return this.#entries.get(id)?.access;
	}

	/** Whether the connection of that id can be used. */
	stateOf(id: string): AccessState {
		return this.peek(id) === undefined ? (this.#states.get(id) ?? "unused") : "open";
	}

	dispose(): void {
		this.#held.dispose();
		for (const { access } of this.#entries.values()) access?.dispose();
		this.#entries.clear();
	}

	async #make(connection: ConnectionTo<S>): Promise<A> {
		const { service, needsSecret } = this.#how;
		const held = await this.#parts.registry.secret(connection);
		if (held.state === "present" || (held.state === "absent" && !needsSecret)) {
			this.#states.delete(connection.id);
			return this.#how.make(connection, held.state === "present" ? held.secret : undefined);
		}
		this.#setState(connection.id, held.state === "absent" ? "signed-out" : "unreadable");
		const field = this.#how.secretName(connection);
		const sentence = held.state === "absent" ? `There is no ${field}` : `The stored ${field} cannot be read`;
		throw new ClientError(service, "unauthorized", `${sentence}: sign in to ${connection.label} again`, { field });
	}

	#keep(id: string, entry: Entry<A>, access: A): void {
		if (this.#entries.get(id) !== entry) {
			access.dispose();
			return;
		}
		entry.access = access;
		this.#how.opened?.(id, access);
		this.#changed.fire(id);
	}

	/** Drops what the settings have made another's, or nobody's. */
	#compare(): void {
		for (const [id, { key }] of [...this.#entries]) {
			const connection = this.#parts.registry.get(id, this.#how.service);
			if (connection === undefined || this.#keyOf(connection) !== key) this.#drop(id);
		}
		for (const id of [...this.#states.keys()]) {
			if (this.#parts.registry.get(id, this.#how.service) === undefined) this.#states.delete(id);
		}
	}

	/** The secret is another, or gone: the old one is not used any more, and the state is told at once. */
	#renew(id: string): void {
		const connection = this.#parts.registry.get(id, this.#how.service);
		if (connection === undefined) return;
		this.#drop(id);
		this.#parts.registry.secret(connection).then(
			({ state }) => {
				const isClosed = state === "unreadable" || (state === "absent" && this.#how.needsSecret);
				this.#setState(id, isClosed ? (state === "absent" ? "signed-out" : state) : undefined);
			},
			(error: unknown) => this.#parts.log.error(String(error)),
		);
	}

	#setState(id: string, state: "signed-out" | "unreadable" | undefined): void {
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

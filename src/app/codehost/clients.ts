import type { RequestNotice } from "#api/http/notice.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import type { CodehostConnection } from "../connections/connection.ts";
import { type ConnectionRegistry, ownerOf } from "../connections/registry.ts";
import { keyOf } from "../connections/vault.ts";
import { Access, type AccessParts } from "./access.ts";

/** What the clients are made with. */
export interface ClientsParts extends AccessParts {
	readonly registry: ConnectionRegistry;
}

/** Whether a connection can be used, as far as is known without asking its service. */
export type AccessState = "unused" | "open" | "signed-out" | "unreadable";

interface Entry {
	/** What would make it another's if it changed. */
	readonly key: string;
	readonly opening: Promise<Access>;
	access: Access | undefined;
}

/**
 * One access for each connection to a code host, made when it is first needed and made anew when the connection or its
 * secret changes. All of them agree on how much is asked of a host at once and which limits are used up.
 */
export class CodehostClients implements Disposable {
	readonly parts: ClientsParts;
	readonly #held = new DisposableStore();
	readonly #dropped = this.#held.add(new Emitter<string>());
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #requested = this.#held.add(new Emitter<RequestNotice & { readonly connection: string }>());
	readonly #entries = new Map<string, Entry>();
	readonly #states = new Map<string, "signed-out" | "unreadable">();

	constructor(parts: ClientsParts) {
		this.parts = parts;
		this.#held.add(parts.registry.onDidChange(() => this.#compare()));
		this.#held.add(parts.registry.onDidChangeSecret((id) => this.#renew(id)));
	}

	/** Fires with a connection's id when its access was dropped, since it, or its secret, has changed or gone. */
	readonly onDidDrop = this.#dropped.event;

	/** Fires with a connection's id when its limit, token, waits, last error or state may have changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires for every HTTP exchange, for a log of requests. */
	readonly onRequest = this.#requested.event;

	/**
	 * The connection of that id, ready to be used; callers at the same time share it. Rejects with ClientError: `invalid`
	 * for `connection`; `unauthorized` for `token` or `key` when it is signed out or its secret cannot be read; what is
	 * wrong with an app's key.
	 */
	async open(id: string): Promise<Access> {
		const connection = this.parts.registry.require(id, "codehost");
		let entry = this.#entries.get(id);
		if (entry === undefined) {
			entry = { key: identityOf(connection), opening: this.#make(connection), access: undefined };
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
	peek(id: string): Access | undefined {
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

	async #make(connection: CodehostConnection): Promise<Access> {
		const held = await this.parts.registry.secret(connection);
		const field = connection.credential.kind === "pat" ? "token" : "key";
		if (held.state === "present") {
			this.#states.delete(connection.id);
			return new Access(this.parts, connection, held.secret);
		}
		this.#setState(connection.id, held.state === "absent" ? "signed-out" : "unreadable");
		const sentence = held.state === "absent" ? `There is no ${field}` : `The stored ${field} cannot be read`;
		throw new ClientError("codehost", "unauthorized", `${sentence}: sign in to ${connection.label} again`, { field });
	}

	#keep(id: string, entry: Entry, access: Access): void {
		if (this.#entries.get(id) !== entry) {
			access.dispose();
			return;
		}
		entry.access = access;
		access.onDidChange(() => this.#changed.fire(id));
		access.onRequest((notice) => this.#requested.fire({ ...notice, connection: id }));
		this.#changed.fire(id);
	}

	/** Drops what the settings have made another's, or nobody's. */
	#compare(): void {
		for (const [id, { key }] of [...this.#entries]) {
			const connection = this.parts.registry.get(id, "codehost");
			if (connection === undefined || identityOf(connection) !== key) this.#drop(id);
		}
		for (const id of [...this.#states.keys()]) {
			if (this.parts.registry.get(id, "codehost") === undefined) this.#states.delete(id);
		}
	}

	/** The secret is another, or gone: the old one is not used any more, and the state is told at once. */
	#renew(id: string): void {
		this.#drop(id);
		const connection = this.parts.registry.get(id, "codehost");
		if (connection === undefined) return;
		this.parts.registry.secret(connection).then(
			({ state }) => this.#setState(id, state === "present" ? undefined : state === "absent" ? "signed-out" : state),
			(error: unknown) => this.parts.log.error(String(error)),
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
}

/** All of a connection that its access depends on. */
function identityOf(connection: CodehostConnection): string {
	const { baseUrl, profile, credential } = connection;
	const who = credential.kind === "app" ? credential.installationId : credential.login;
	return JSON.stringify([keyOf(ownerOf(connection)), baseUrl, profile, who]);
}

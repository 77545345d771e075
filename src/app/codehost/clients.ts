import type { RequestNotice } from "#api/http/notice.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { Accesses, type AccessState } from "../connections/accesses.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { Access, type AccessParts } from "./access.ts";

/** What the clients are made with. */
export interface ClientsParts extends AccessParts {
	readonly registry: ConnectionRegistry;
}

/**
 * One access for each connection to a code host. All of them agree on how much is asked of a host at once and which
 * limits are used up.
 */
export class CodehostClients implements Disposable {
	readonly parts: ClientsParts;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #requested = this.#held.add(new Emitter<RequestNotice & { readonly connection: string }>());
	readonly #accesses: Accesses<"codehost", Access>;

	constructor(parts: ClientsParts) {
		this.parts = parts;
		this.#accesses = this.#held.add(
			new Accesses<"codehost", Access>(parts, {
				service: "codehost",
				needsSecret: true,
				secretName: ({ credential }) => (credential.kind === "pat" ? "token" : "key"),
				identityOf: ({ credential }) => (credential.kind === "app" ? credential.installationId : credential.login),
				// An empty secret is refused as every other that is of no use.
				make: (connection, secret = "") => new Access(parts, connection, secret),
				opened: (id, access) => {
					access.onDidChange(() => this.#changed.fire(id));
					access.onRequest((notice) => this.#requested.fire({ ...notice, connection: id }));
				},
			}),
		);
		this.#held.add(this.#accesses.onDidChange((id) => this.#changed.fire(id)));
	}

	/** Fires with a connection's id when its access was dropped, since it, or its secret, has changed or gone. */
	get onDidDrop(): Accesses<"codehost", Access>["onDidDrop"] {
		return this.#accesses.onDidDrop;
	}

	/** Fires with a connection's id when its limit, token, waits, last error or state may have changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires for every HTTP exchange, for a log of requests. */
	readonly onRequest = this.#requested.event;

	/**
	 * The connection of that id, ready to be used; callers at the same time share it. Rejects with ClientError: `invalid`
	 * for `connection`; `unauthorized` for `token` or `key` when it is signed out or its secret cannot be read; what is
	 * wrong with an app's key.
	 */
	open(id: string): Promise<Access> {
		return this.#accesses.open(id);
	}

	/** The same if it is in use already. */
	peek(id: string): Access | undefined {
		return this.#accesses.peek(id);
	}

	/** Whether the connection of that id can be used. */
	stateOf(id: string): AccessState {
		return this.#accesses.stateOf(id);
	}

	dispose(): void {
		this.#held.dispose();
	}
}

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

/** One access for each connection to a pet store. All of them agree on how much is asked of a store at once. */
export class PetstoreClients implements Disposable {
	readonly parts: ClientsParts;
	readonly #held = new DisposableStore();
	readonly #requested = this.#held.add(new Emitter<RequestNotice & { readonly connection: string }>());
	readonly #accesses: Accesses<"petstore", Access>;

	constructor(parts: ClientsParts) {
		this.parts = parts;
		this.#accesses = this.#held.add(
			new Accesses<"petstore", Access>(parts, {
				service: "petstore",
				// Orders and users are open to everybody (contract section 5), and many stores are altogether.
				needsSecret: false,
				secretName: () => "key",
				identityOf: ({ format }) => format,
				make: (connection, secret) => new Access(parts, connection, secret),
				opened: (id, access) => access.onRequest((notice) => this.#requested.fire({ ...notice, connection: id })),
			}),
		);
	}

	/** Fires with a connection's id when its access was dropped, since it, or its secret, has changed or gone. */
	get onDidDrop(): Accesses<"petstore", Access>["onDidDrop"] {
		return this.#accesses.onDidDrop;
	}

	/** Fires with a connection's id when it was opened, or its state has changed. */
	get onDidChange(): Accesses<"petstore", Access>["onDidChange"] {
		return this.#accesses.onDidChange;
	}

	/** Fires for every HTTP exchange, for a log of requests. */
	readonly onRequest = this.#requested.event;

	/**
	 * The connection of that id, ready to be used; callers at the same time share it. Rejects with ClientError: `invalid`
	 * for `connection`, `unauthorized` for `key` when the secret cannot be read.
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

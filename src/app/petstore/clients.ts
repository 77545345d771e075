import { Emitter } from "#base/emitter.ts";
import { Accesses } from "../connections/accesses.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { Access, type AccessParts } from "./access.ts";
import { storeOf } from "./store-of.ts";

/** What the clients are made with. */
export interface ClientsParts extends AccessParts {
	readonly registry: ConnectionRegistry;
}

/** A change of which the store did not say whether it was done, and at which nobody could look. */
export interface Doubt {
	/** The id of the connection. */
	readonly connection: string;
	/** What may be done, such as `pet 12 was deleted`. */
	readonly what: string;
}

/** One access for each connection to a pet store. All of them agree on how much is asked of a store at once. */
export class PetstoreClients extends Accesses<"petstore", Access> {
	readonly parts: ClientsParts;
	readonly #doubted = new Emitter<Doubt>();

	/** Whoever makes a change says here that nobody knows what became of it. */
	readonly onDidDoubt = this.#doubted.event;

	constructor(parts: ClientsParts) {
		super(parts, {
			service: "petstore",
			// Orders and users are open to everybody (contract section 5), and many stores are altogether.
			needsSecret: false,
			secretName: () => "key",
			identityOf: ({ format }) => format,
			make: (connection, secret) => new Access(parts, connection, secret),
		});
		this.parts = parts;
	}

	/** The store that a connection leads to by now; undefined for a connection that is gone. */
	storeOf(id: string): string | undefined {
		const connection = this.parts.registry.get(id, "petstore");
		return connection && storeOf(connection);
	}

	doubt(doubt: Doubt): void {
		this.#doubted.fire(doubt);
	}

	override dispose(): void {
		this.#doubted.dispose();
		super.dispose();
	}
}

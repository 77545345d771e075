import { Accesses } from "../connections/accesses.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { Access, type AccessParts } from "./access.ts";
import { storeOf } from "./store-of.ts";

/** What the clients are made with. */
export interface ClientsParts extends AccessParts {
	readonly registry: ConnectionRegistry;
}

/** One access for each connection to a pet store. All of them agree on how much is asked of a store at once. */
export class PetstoreClients extends Accesses<"petstore", Access> {
	readonly parts: ClientsParts;
	#writes = 0;

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
		// Before anybody hears of its end: a lost answer, or a refusal, may be to a write that was done.
		this.onRequest(({ method }) => {
			if (method !== "GET") this.#writes += 1;
		});
	}

	/** Number of writes that have ended. A read that began at another number may be older than what its caller knows. */
	get writes(): number {
		return this.#writes;
	}

	/** The store that a connection leads to by now; undefined for a connection that is gone. */
	storeOf(id: string): string | undefined {
		const connection = this.parts.registry.get(id, "petstore");
		return connection && storeOf(connection);
	}
}

import { Accesses } from "../connections/accesses.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { Access, type AccessParts } from "./access.ts";

/** What the clients are made with. */
export interface ClientsParts extends AccessParts {
	readonly registry: ConnectionRegistry;
}

/** One access for each connection to a pet store. All of them agree on how much is asked of a store at once. */
export class PetstoreClients extends Accesses<"petstore", Access> {
	readonly parts: ClientsParts;

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
}

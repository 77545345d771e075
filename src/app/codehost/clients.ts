import { Accesses } from "../connections/accesses.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { StoredSecrets } from "../connections/stored-secrets.ts";
import { Access, type AccessParts } from "./access.ts";

/** Rooms that the clients work with. */
export interface ClientsParts extends AccessParts {
	readonly registry: ConnectionRegistry;
	readonly secrets: StoredSecrets;
}

/**
 * One access for each connection to a code host. All of them agree on how much is asked of a host at once and which
 * limits are used up. A change is also one of a connection's limit, token, waits or last error.
 */
export class CodehostClients extends Accesses<"codehost", Access> {
	readonly parts: ClientsParts;

	constructor(parts: ClientsParts) {
		super(parts.registry, parts.secrets, {
			service: "codehost",
			needsSecret: true,
			secretName: ({ credential }) => (credential.kind === "pat" ? "token" : "key"),
			identityOf: ({ credential }) => (credential.kind === "app" ? credential.installationId : credential.login),
			// An empty secret is refused as every other that is of no use.
			make: (connection, secret = "") => new Access(parts, connection, secret),
		});
		this.parts = parts;
	}
}

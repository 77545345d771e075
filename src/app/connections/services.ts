import type { ObjectSchema, Schema } from "#base/schema.ts";
import { CODEHOST_PRESETS } from "./codehost-profiles.ts";
import { readAppSecret } from "./codehost-secret.ts";
import {
	CODEHOST,
	type CodehostConnection,
	type CodehostCredential,
	type Connection,
	type ConnectionDraft,
	type ConnectionService,
	MESSAGES,
	PETSTORE,
} from "./connection.ts";
import type { Preset } from "./fields.ts";
import { MESSAGES_PRESETS } from "./messages-profiles.ts";
import { PETSTORE_PRESETS } from "./petstore-profiles.ts";
import { readPetstoreSecret } from "./petstore-secret.ts";

/** Identity that a service gives a connection by its credential. */
interface Identity {
	readonly kind?: CodehostCredential["kind"];
	/** Owner of the credential, as the service reports it: a token's user or an app's account. */
	readonly holder?: string | undefined;
	/** True if the service has yet to say whose the credential is. */
	readonly isUnidentified?: boolean;
	readonly appId?: string;
	readonly installationId?: number;
	/** Credential without its token's expiry date. */
	readonly undated?: CodehostCredential;
	/** Credential without the owner of its token, where it names one. */
	readonly anonymous?: CodehostCredential;
}

/** A service, as the registry, the vault and the settings know it. */
interface ServiceRow {
	/** Name in a sentence. */
	readonly name: string;
	/** Schema of a connection in the settings. */
	readonly schema: Schema<ConnectionDraft> &
		Pick<ObjectSchema<Readonly<Record<"baseUrl", Schema<string>> & Record<"profile", Schema<unknown>>>>, "fields">;
	readonly presets: Readonly<Record<string, Preset>>;
	/** True if the service refuses every request without a secret. */
	readonly needsSecret: boolean;
	/** Parts of a stored secret to redact, by the kind of credential. Throws if it cannot be read. */
	readonly secretParts: (secret: string, kind: Identity["kind"]) => readonly (string | undefined)[];
	/** Identity of a connection; empty where the service names no owner. */
	identity(connection: Connection): Identity;
}

/** The services that connections are made to, in the order in which they are offered. */
export const SERVICES: Readonly<Record<ConnectionService, ServiceRow>> = {
	messages: {
		name: "messages service",
		schema: MESSAGES,
		presets: MESSAGES_PRESETS,
		needsSecret: false,
		secretParts: (key) => [key],
		identity: () => ({}),
	},
	codehost: {
		name: "code host",
		schema: CODEHOST,
		presets: CODEHOST_PRESETS,
		needsSecret: true,
		// A token is stored as it is.
		secretParts: (secret, kind) => (kind === "app" ? Object.values(readAppSecret(secret)) : [secret]),
		identity({ credential }: CodehostConnection) {
			if (credential.kind === "app") {
				const { kind, account: holder, appId, installationId, fingerprint } = credential;
				return { kind, holder, isUnidentified: fingerprint === undefined, appId, installationId, undated: credential };
			}
			const { expiresAt: _, ...undated } = credential;
			const { login: holder, patKind: _kind, ...anonymous } = credential;
			return { kind: "pat", holder, isUnidentified: holder === undefined, undated, anonymous };
		},
	},
	petstore: {
		name: "pet store",
		schema: PETSTORE,
		presets: PETSTORE_PRESETS,
		needsSecret: false,
		secretParts(secret) {
			const { apiKey, token } = readPetstoreSecret(secret);
			return [apiKey, token?.value];
		},
		identity: () => ({}),
	},
};

/** Identity of a connection, as its service has it. */
export function identityOf(connection: Connection): Identity {
	return SERVICES[connection.service].identity(connection);
}

/** The names of the services in settings and arguments: the keys of the table. */
export const SERVICE_IDS = Object.keys(SERVICES) as ConnectionService[];

import type { ObjectSchema, Schema } from "#base/schema.ts";
import { CODEHOST_PRESETS } from "./codehost-profiles.ts";
import { readAppSecret } from "./codehost-secret.ts";
import { CODEHOST, type ConnectionDraft, type ConnectionService, MESSAGES, PETSTORE } from "./connection.ts";
import type { Preset } from "./fields.ts";
import { MESSAGES_PRESETS } from "./messages-profiles.ts";
import { PETSTORE_PRESETS } from "./petstore-profiles.ts";
import { readPetstoreSecret } from "./petstore-secret.ts";

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
	/** Parts of a stored secret to redact, by the identity of its owner. Throws if it cannot be read. */
	readonly secretParts: (secret: string, identity: string) => readonly (string | undefined)[];
}

/** The services that connections are made to, in the order in which they are offered. */
export const SERVICES: Readonly<Record<ConnectionService, ServiceRow>> = {
	codehost: {
		name: "code host",
		schema: CODEHOST,
		presets: CODEHOST_PRESETS,
		needsSecret: true,
		// A token is stored as it is.
		secretParts: (secret, identity) => (/ app \S+$/.test(identity) ? Object.values(readAppSecret(secret)) : [secret]),
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
	},
	messages: {
		name: "messages service",
		schema: MESSAGES,
		presets: MESSAGES_PRESETS,
		needsSecret: false,
		secretParts: (key) => [key],
	},
};

/** The names of the services in settings and arguments: the keys of the table. */
export const SERVICE_IDS = Object.keys(SERVICES) as ConnectionService[];

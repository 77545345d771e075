import { readAppKey } from "#api/codehost/private-key.ts";
import { ClientError } from "#base/errors.ts";
import { integer, object, optional, parsedJson, text } from "#base/schema.ts";

/** Private key of an app, as a person has it. */
interface AppSecret {
	/** PEM, in any shape in which people have it. */
	readonly privateKey: string;
	readonly passphrase?: string | undefined;
}

const VERSION = 1;

const STORED = object({
	v: integer({ min: VERSION, max: VERSION }),
	privateKey: text(),
	passphrase: optional(text()),
});

/** Serializes an app's key and passphrase. Throws `invalid` for `private_key` or `passphrase`, with a reason. */
export function appSecret({ privateKey, passphrase }: AppSecret): string {
	readAppKey(privateKey, { passphrase });
	return JSON.stringify({ v: VERSION, privateKey, ...(passphrase ? { passphrase } : {}) });
}

/** Reads what {@link appSecret} wrote. Throws ClientError `unauthorized` for `key` when it cannot be read. */
export function readAppSecret(stored: string): AppSecret {
	const { v: _, ...secret } = parsedJson(STORED, stored) ?? unreadable();
	return secret;
}

function unreadable(): never {
	const facts = { field: "key", reason: "unreadable" } as const;
	throw new ClientError("codehost", "unauthorized", "The stored key cannot be read", facts);
}

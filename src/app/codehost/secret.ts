import { readAppKey } from "#api/codehost/private-key.ts";
import { ClientError } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";

/** Private key of an app, as a person has it. */
export interface AppSecret {
	/** PEM, in any shape in which people have it. */
	readonly privateKey: string;
	readonly passphrase?: string | undefined;
}

const VERSION = 1;

/**
 * An app's key and passphrase as the one text that is stored. Throws ClientError `invalid` for `private_key` or
 * `passphrase` (reason `passphrase-needed` or `passphrase-wrong`) when the key is of no use.
 */
export function appSecret({ privateKey, passphrase }: AppSecret): string {
	readAppKey(privateKey, { passphrase });
	return JSON.stringify({ v: VERSION, privateKey, ...(passphrase ? { passphrase } : {}) });
}

/** Reads what {@link appSecret} wrote. Throws ClientError `unauthorized` for `key` when it cannot be read. */
export function readAppSecret(stored: string): AppSecret {
	let value: unknown;
	try {
		value = JSON.parse(stored);
	} catch {
		value = undefined;
	}
	if (typeof value === "object" && value !== null && "v" in value && value.v === VERSION) {
		const { privateKey, passphrase } = { privateKey: undefined, passphrase: undefined, ...value };
		if (typeof privateKey === "string") {
			return { privateKey, ...(typeof passphrase === "string" ? { passphrase } : {}) };
		}
	}
	throw new ClientError("codehost", "unauthorized", "The stored key cannot be read", {
		field: "key",
		reason: "unreadable",
	});
}

/**
 * Reads a stored secret and makes the redactor know it and its parts, for the life of the window: a log line may be written
 * long after the last use. Throws as {@link readAppSecret} does.
 */
export function registerAppSecret(stored: string, redactor: Redactor): AppSecret {
	const secret = readAppSecret(stored);
	for (const part of [stored, secret.privateKey]) redactor.register(part);
	if (secret.passphrase !== undefined) redactor.registerUnsent(secret.passphrase);
	return secret;
}

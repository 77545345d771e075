import { readAppKey } from "#api/codehost/private-key.ts";
import { ClientError } from "#base/errors.ts";
import { type Infer, integer, object, optional, parsedJson, text } from "#base/schema.ts";

const VERSION = 1;

const STORED = object({
	v: integer({ min: VERSION, max: VERSION }),
	/** PEM, in any shape in which people have it. */
	privateKey: text(),
	passphrase: optional(text()),
});

type AppSecret = Omit<Infer<typeof STORED>, "v">;

/** Serializes an app's key and passphrase. Throws `invalid` for `private_key` or `passphrase`, with a reason. */
export function appSecret({ privateKey, passphrase }: AppSecret): string {
	readAppKey(privateKey, { passphrase });
	return JSON.stringify({ v: VERSION, privateKey, ...(passphrase ? { passphrase } : {}) });
}

/** Reads what {@link appSecret} wrote. Throws ClientError `unauthorized` for `key` when it cannot be read. */
export function readAppSecret(stored: string): AppSecret {
	const read = parsedJson(STORED, stored);
	const facts = { field: "key", reason: "unreadable" } as const;
	if (read === undefined) throw new ClientError("codehost", "unauthorized", "The stored key cannot be read", facts);
	const { v: _, ...secret } = read;
	return secret;
}

import { type AccessToken, headerText } from "#api/petstore/credential.ts";
import { usableTime } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { convert, integer, list, nullable, number, object, optional, parsedJson, text } from "#base/schema.ts";

/** Credential for a pet store: a key, a token, both or neither (contract section 5). */
interface PetstoreSecret {
	readonly apiKey?: string | undefined;
	readonly token?: AccessToken | undefined;
}

const VERSION = 1;

const STORED = object({
	v: integer({ min: VERSION, max: VERSION }),
	apiKey: optional(text()),
	token: optional(
		object({ value: text(), scopes: nullable(list(text())), expiresAt: nullable(convert(number(), usableTime)) }),
	),
});

/** Serializes key and token; undefined for neither. Throws `invalid` for one that no header could carry. */
export function petstoreSecret({ apiKey, token }: PetstoreSecret): string | undefined {
	if (apiKey !== undefined) headerText("apiKey", apiKey);
	if (token !== undefined) headerText("token", token.value);
	if (apiKey === undefined && token === undefined) return undefined;
	return JSON.stringify({ v: VERSION, apiKey, token });
}

/** A token of which nothing is known but itself. */
export function bareToken(value: string): AccessToken {
	return { value, scopes: null, expiresAt: null };
}

/** Reads what {@link petstoreSecret} wrote. Throws ClientError `unauthorized` for `key` when it cannot be read. */
export function readPetstoreSecret(stored: string | undefined): PetstoreSecret {
	if (stored === undefined) return {};
	const { v: _, ...secret } = parsedJson(STORED, stored) ?? { v: VERSION };
	if (secret.apiKey !== undefined || secret.token !== undefined) return secret;
	throw new ClientError("petstore", "unauthorized", "The stored key cannot be read", {
		field: "key",
		reason: "unreadable",
	});
}

/** Parts of a stored secret that stay when one is replaced; none where it cannot be read. */
export function keptOf(stored: string | undefined): PetstoreSecret {
	try {
		return readPetstoreSecret(stored);
	} catch (error) {
		if (error instanceof ClientError) return {};
		throw error;
	}
}

/** The stored secret with another token. Throws ClientError `invalid` for `token`. */
export function withToken(stored: string | undefined, token: AccessToken): string {
	const { apiKey } = keptOf(stored);
	return petstoreSecret({ apiKey, token }) ?? "";
}

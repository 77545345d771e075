import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Refused } from "#sandbox/http.ts";
import type { Plan } from "./route.ts";

/** Scopes of the contract (section 5). */
export const SANDBOX_SCOPES = ["read:pets", "write:pets"] as const;

/** OAuth scope. */
export type Scope = (typeof SANDBOX_SCOPES)[number];

interface Token {
	readonly scopes: readonly Scope[];
	/** Epoch milliseconds. */
	readonly expiresAt: number;
}

/** OAuth tokens. */
export class Tokens {
	readonly #now: () => number;
	readonly #tokens = new Map<string, Token>();

	constructor(now: () => number) {
		this.#now = now;
	}

	/** Mints a token, by default with both scopes, which all operations on pets need. Up to 0 s, it has expired. */
	mint(expiresInSeconds = 3600, scopes: readonly Scope[] = SANDBOX_SCOPES): string {
		const token = `sandbox-petstore-${randomBytes(24).toString("base64url")}`;
		this.#tokens.set(token, { scopes, expiresAt: this.#now() + expiresInSeconds * 1000 });
		return token;
	}

	/** Revokes a token; true if it existed. */
	revoke(token: string): boolean {
		return this.#tokens.delete(token);
	}

	/** Refuses a request without a valid bearer token (401) or scope (403), as RFC 6750 says; the contract does not. */
	check(authorization: string | undefined): void {
		if (authorization === undefined) throw unauthorized("A bearer token is required");
		const token = this.#tokens.get(/^bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1] ?? "");
		if (token === undefined) throw unauthorized("The token is not known", "invalid_token");
		if (token.expiresAt <= this.#now()) throw unauthorized("The token has expired", "invalid_token");
		const missing = SANDBOX_SCOPES.filter((scope) => !token.scopes.includes(scope));
		if (missing.length === 0) return;
		throw new Refused(403, `The token lacks ${missing.join(" and ")}`, {
			"www-authenticate": `Bearer error="insufficient_scope", scope="${SANDBOX_SCOPES.join(" ")}"`,
		});
	}
}

function unauthorized(message: string, error?: string): Refused {
	const challenge = error === undefined ? "Bearer" : `Bearer error="${error}"`;
	return new Refused(401, message, { "www-authenticate": challenge });
}

/** Refuses an unauthorized operation (contract section 5) with 401 or 403. */
export function checkSecurity(
	{ name, security }: Plan,
	headers: IncomingHttpHeaders,
	{ apiKey, tokens }: { readonly apiKey: string; readonly tokens: Tokens },
): void {
	if (security === "petstore_auth") tokens.check(headers.authorization);
	const key = headers["api_key"];
	if (security === "api_key" && key === undefined) throw new Refused(401, "The header api_key is required");
	// For deletePet the header is optional, but must be valid.
	const isRead = security === "api_key" || name === "deletePet";
	if (isRead && key !== undefined && key !== apiKey) throw new Refused(401, "The key in api_key is not known");
}

/** Mints the credentials of a start. The authorization page is `/oauth/authorize` below `authUrl`. */
export function issuePetstoreKeys(
	tokens: Tokens,
	{ apiKey, password, authUrl }: Record<"apiKey" | "password" | "authUrl", string>,
) {
	return {
		apiKey,
		/** OAuth token with both scopes, valid for a day. */
		token: tokens.mint(86_400),
		/** Token without `write:pets`, which every operation on pets refuses with 403. */
		readOnlyToken: tokens.mint(86_400, ["read:pets"]),
		expiredToken: tokens.mint(-1),
		/** Seeded user; the others have the same password. */
		user: { username: "ada", password },
		authUrl,
	};
}

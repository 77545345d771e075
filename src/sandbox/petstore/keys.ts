import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Refused } from "#sandbox/http.ts";
import type { Plan } from "./route.ts";

/** Scopes of the contract (section 5). */
export const SANDBOX_SCOPES = ["read:pets", "write:pets"] as const;

/** One of the contract's scopes. */
export type Scope = (typeof SANDBOX_SCOPES)[number];

interface Token {
	readonly scopes: readonly Scope[];
	/** Epoch milliseconds. */
	readonly expiresAt: number;
}

/** The OAuth tokens of a start. */
export class Tokens {
	readonly #now: () => number;
	readonly #tokens = new Map<string, Token>();

	constructor(now: () => number) {
		this.#now = now;
	}

	/** Makes a token: with both scopes by default, which every operation on pets wants; not above 0 s, it has expired. */
	mint(expiresInSeconds = 3600, scopes: readonly Scope[] = SANDBOX_SCOPES): string {
		const token = `sandbox-petstore-${randomBytes(24).toString("base64url")}`;
		this.#tokens.set(token, { scopes, expiresAt: this.#now() + expiresInSeconds * 1000 });
		return token;
	}

	/** Ends a token. Returns whether it was known. */
	revoke(token: string): boolean {
		return this.#tokens.delete(token);
	}

	/**
	 * Refuses an `Authorization` header without a bearer token that lives (401) and has every scope (403). The contract
	 * names no status for either; these are RFC 6750's.
	 */
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

/** Refuses who may not do an operation (contract section 5): 401, or 403 for a token without the scopes. */
export function checkSecurity(
	{ name, security }: Plan,
	headers: IncomingHttpHeaders,
	{ apiKey, tokens }: { readonly apiKey: string; readonly tokens: Tokens },
): void {
	if (security === "petstore_auth") tokens.check(headers.authorization);
	const key = headers["api_key"];
	if (security === "api_key" && key === undefined) throw new Refused(401, "The header api_key is required");
	// deletePet may have the header; then it has to be right.
	const isRead = security === "api_key" || name === "deletePet";
	if (isRead && key !== undefined && key !== apiKey) throw new Refused(401, "The key in api_key is not known");
}

/** Mints the credentials of a start: `authUrl` is `{auth_url}` of the contract, with the page `/oauth/authorize` below it. */
export function issuePetstoreKeys(
	tokens: Tokens,
	{ apiKey, password, authUrl }: Record<"apiKey" | "password" | "authUrl", string>,
) {
	return {
		/** For the header `api_key`. */
		apiKey,
		/** An OAuth token with both scopes, which lasts a day. */
		token: tokens.mint(86_400),
		/** A token that may only read: 403, as every operation on pets wants both scopes. */
		readOnlyToken: tokens.mint(86_400, ["read:pets"]),
		/** A token that has expired: 401. */
		expiredToken: tokens.mint(-1),
		/** One of the seeded users; the others have the same password. */
		user: { username: "ada", password },
		authUrl,
	};
}

/** The pet store's credentials, valid for this start only. */
export type PetstoreKeys = ReturnType<typeof issuePetstoreKeys>;

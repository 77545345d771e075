import { randomBytes } from "node:crypto";
import { SCOPES, type Scope } from "./behaviour.ts";
import { Refused } from "./refusal.ts";

/** What a token may do, and how long. */
export interface TokenOptions {
	/** Both by default, which every operation on pets wants (contract section 5). */
	readonly scopes?: readonly Scope[];
	/** 3,600 by default. Not above 0, it has expired on arrival. */
	readonly expiresInSeconds?: number;
}

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

	/** Makes a token. */
	mint({ scopes = SCOPES, expiresInSeconds = 3600 }: TokenOptions = {}): string {
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
		const missing = SCOPES.filter((scope) => !token.scopes.includes(scope));
		if (missing.length === 0) return;
		throw new Refused(403, `The token lacks ${missing.join(" and ")}`, {
			headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${SCOPES.join(" ")}"` },
		});
	}
}

function unauthorized(message: string, error?: string): Refused {
	const challenge = error === undefined ? "Bearer" : `Bearer error="${error}"`;
	return new Refused(401, message, { headers: { "www-authenticate": challenge } });
}

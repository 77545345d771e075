import { createHash } from "node:crypto";
import type { Disposable } from "#base/disposables.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import type { CodehostProfile } from "./model.ts";

/** A service's refusal of a credential. */
export interface Refusal {
	readonly token: string;
	readonly method: "GET" | "POST";
	readonly status: 401 | 403;
	/** The reply's `Date` in epoch milliseconds; null without a valid one. */
	readonly serverTime: number | null;
	/** Number of times that this credential has had the call tried again. */
	readonly repeats: number;
}

/** Source of the bearer token for each call of a client. */
export interface TokenSource {
	readonly kind: "pat" | "app" | "installation";
	/** The only origin that may see its tokens, such as `https://host:8443`. */
	readonly origin: string;
	/** Name of the credential, without secrets. Renewed tokens keep it. */
	readonly identity: string;
	/** Name of the rate limit until the service reports another. */
	readonly bucket: string;
	/** Valid token. Rejects with ClientError; the signal ends the wait of this caller only. */
	token(signal?: AbortSignal): Promise<string>;
	/** Expiry of a personal token from the service's header, in epoch milliseconds; undefined where none was sent. */
	readonly expiresAt?: number | undefined;
	/** A call with this token has succeeded, with a reply of these headers. */
	accepted?(token: string, headers: Readonly<Record<string, string>>): void;
	/** Hears of a refused token. Returns the wait before the call is retried in milliseconds, or null. */
	refused?(refusal: Refusal): number | null;
	/** Explains a final refusal by this credential, if it can. */
	explain?(error: ClientError, refusal: Refusal): ClientError;
}

/** Keeps a secret out of logs until disposed. */
export type ProtectSecret = (secret: string) => Disposable;

/** Header with the expiry of a personal token; beyond the contract, and read from every code host that sends it. */
const EXPIRY_HEADER = "github-authentication-token-expiration";

/** Source of a personal access token; those of a `login` share a rate limit. Throws ClientError without the token. */
export function patSource(
	token: string,
	{ origin, login }: { readonly origin: string; readonly login?: string | undefined },
): TokenSource {
	const plain = token.trim();
	if (plain === "") throw invalid("codehost", "token", "is missing");
	const problem = tokenProblem(plain);
	if (problem !== undefined) throw invalid("codehost", "token", problem);
	const identity = `${origin} pat ${createHash("sha256").update(plain).digest("hex").slice(0, 16)}`;
	const bucket = login === undefined ? identity : `user ${login.toLowerCase()}`;
	let expiresAt: number | undefined;
	return {
		kind: "pat",
		origin,
		identity,
		bucket,
		token: async () => plain,
		get expiresAt() {
			return expiresAt;
		},
		accepted(_token, headers) {
			// Such as `2026-12-31 08:00:00 UTC`, or with `-0500`.
			const told = Date.parse(headers[EXPIRY_HEADER] ?? "");
			if (!Number.isNaN(told)) expiresAt = told;
		},
	};
}

/** Problem of a text that cannot be a token, as the end of a sentence; undefined for none. */
export function tokenProblem(token: string): string | undefined {
	if (token.includes("-----BEGIN"))
		return "is the private key of an app (PEM); add the connection with that app instead";
	return /^[\x21-\x7e]+$/.test(token) ? undefined : "has a space or a character that a header cannot carry";
}

/** Kind of a token by its prefix; `unknown` ones are used as they are. */
export function patKind(token: string, profile: CodehostProfile): "fine-grained" | "classic" | "unknown" {
	const begins = (prefixes: readonly string[] = []) => prefixes.some((prefix) => token.trim().startsWith(prefix));
	if (begins(profile.patPrefixes?.fineGrained)) return "fine-grained";
	return begins(profile.patPrefixes?.classic) ? "classic" : "unknown";
}

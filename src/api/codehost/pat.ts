import { createHash } from "node:crypto";
import { invalid } from "#base/errors.ts";
import type { CodehostProfile, TokenSource } from "./model.ts";

/** Owner and origin of a personal access token. */
export interface PatOptions {
	/** The only origin that may see it. */
	readonly origin: string;
	/** Whose token it is, if that was told before: all tokens of a user share one limit (contract section 8). */
	readonly login?: string | undefined;
	readonly expiryHeader?: string | undefined;
}

/**
 * The source of a personal access token (contract section 5). Spaces and line breaks around it are not part of it.
 * Throws ClientError `invalid` for `token`; the message does not contain it.
 */
export function patSource(token: string, { origin, login, expiryHeader = "" }: PatOptions): TokenSource {
	const plain = token.trim();
	if (plain === "") throw invalid("codehost", "token", "is missing");
	const problem = tokenProblem(plain);
	if (problem !== undefined) throw invalid("codehost", "token", problem);
	const identity = `${origin} pat ${createHash("sha256").update(plain).digest("hex").slice(0, 16)}`;
	const bucket = login === undefined ? identity : bucketOfUser(login);
	let expiresAt: number | undefined;
	return {
		...({ kind: "pat", origin, identity, bucket, token: async () => plain } as const),
		get expiresAt() {
			return expiresAt;
		},
		accepted(_token, headers) {
			// Such as `2026-12-31 08:00:00 UTC`, or with `-0500`.
			const told = Date.parse(headers[expiryHeader.toLowerCase()] ?? "");
			if (!Number.isNaN(told)) expiresAt = told;
		},
	};
}

/** Problem of a text that cannot be a token, as the end of a sentence about it; undefined for none. */
export function tokenProblem(token: string): string | undefined {
	if (token.includes("-----BEGIN"))
		return "is the private key of an app (PEM); add the connection with that app instead";
	return /^[\x21-\x7e]+$/.test(token) ? undefined : "has a space or a character that a header cannot carry";
}

/** The kind of a token by its beginning; `unknown` is as good as any other. */
export function patKind(token: string, profile: CodehostProfile): "fine-grained" | "classic" | "unknown" {
	const begins = (prefixes: readonly string[] = []) => prefixes.some((prefix) => token.trim().startsWith(prefix));
	if (begins(profile.patPrefixes?.fineGrained)) return "fine-grained";
	return begins(profile.patPrefixes?.classic) ? "classic" : "unknown";
}

/** Names the limit of a user, against which the calls with all their tokens count. */
export function bucketOfUser(login: string): string {
	return `user ${login.toLowerCase()}`;
}

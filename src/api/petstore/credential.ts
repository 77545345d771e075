import { type ClientError, invalid, withFacts } from "#base/errors.ts";
import type { AnyOperation } from "./operation.ts";

/** A token of the OAuth sign-in (contract section 5). */
export interface AccessToken {
	readonly value: string;
	/** Scopes such as `read:pets`; null if the service did not say. */
	readonly scopes: readonly string[] | null;
	/** Milliseconds since the epoch; null if the service did not say. */
	readonly expiresAt: number | null;
}

/** Scopes that operations with a sign-in require (contract section 5). */
export const SIGN_IN_SCOPES = ["write:pets", "read:pets"] as const;

/** Credential for one pet store (contract section 5), read before each request. An absent part is not sent. */
export interface PetstoreCredential {
	/** Only origin that may see it, such as `https://host:8443`. */
	readonly origin: string;
	apiKey?(): string | undefined;
	accessToken?(): AccessToken | undefined;
}

/** Part of a credential that goes with one request: its headers, as a log shows them too, and secrets not to be repeated. */
export type Identification = ReturnType<typeof identify>;

/** Credential headers of a request (contract section 5); `given` are its own, as of `deletePet`. Throws `invalid`. */
export function identify(
	credential: PetstoreCredential | undefined,
	{ security, parameters }: AnyOperation,
	given: Readonly<Record<string, string>>,
) {
	const wantsKey = security === "api_key" || ("api_key" in parameters && !("api_key" in given));
	const headers: Record<string, string> = {};
	const shown: Record<string, string> = {};
	const secrets: string[] = [];
	const key = wantsKey ? credential?.apiKey?.() : undefined;
	const token = security === "petstore_auth" ? credential?.accessToken?.() : undefined;
	if (key) {
		headers["api_key"] = headerText("api_key", key);
		shown["api_key"] = "{api_key}";
		secrets.push(key);
	}
	if (token !== undefined) {
		headers["authorization"] = `Bearer ${headerText("token", token.value)}`;
		shown["authorization"] = "Bearer {token}";
		secrets.push(token.value);
	}
	return { headers, shown, secrets, hasKey: Boolean(key), token: token ?? null };
}

/** Error of a 401 or 403 with the credential at fault as its reason. `now` is in epoch milliseconds. */
export function explained(
	error: ClientError,
	{ security, reply }: AnyOperation,
	{ hasKey, token, now }: Pick<Identification, "hasKey" | "token"> & { readonly now: number },
): ClientError {
	if (reply.kind === "session") return withFacts(error, { reason: "log-in-refused" });
	if (security === null) return error;
	if (security === "api_key") return withFacts(error, { reason: hasKey ? "key-refused" : "key-needed" });
	const why = token === null ? [] : wantsOf(token, now);
	const message = why.length === 0 ? error.message : `${error.message} (the sign-in ${why.join(" and ")})`;
	return withFacts(error, { reason: "sign-in-needed" }, message);
}

function wantsOf({ scopes, expiresAt }: AccessToken, now: number): readonly string[] {
	const missing = scopesMissing(scopes);
	return [
		...(expiresAt !== null && expiresAt <= now ? ["has ended"] : []),
		...(missing.length > 0 ? [`was given without ${missing.join(" and ")}`] : []),
	];
}

/** Required scopes that a sign-in lacks; none if its scopes are unknown. */
export function scopesMissing(scopes: AccessToken["scopes"]): readonly string[] {
	return scopes === null ? [] : SIGN_IN_SCOPES.filter((scope) => !scopes.includes(scope));
}

/** Text that fits into a header. Throws ClientError `invalid`, without the text. */
export function headerText(field: string, value: string): string {
	if (!/^[\x21-\x7e]+$/.test(value)) {
		throw invalid("petstore", field, "has a space or a character that a header cannot carry");
	}
	return value;
}

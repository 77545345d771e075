import { timingSafeEqual } from "node:crypto";
import { usableTime } from "#base/clock.ts";
import { ClientError, type ErrorCode, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { type ExchangeOptions, exchange } from "../http/exchange.ts";
import { wordsOfReply } from "../http/fault.ts";
import { excerptOf } from "../http/reason.ts";
import { type AccessToken, SIGN_IN_SCOPES } from "./credential.ts";

/** Field of every error of a sign-in: `{auth_url}` of the contract. */
export const SIGN_IN_FIELD = "auth_url";

/**
 * Address of the sign-in page (contract section 5; RFC 6749, 4.2.1), below `authUrl`. The browser returns to `redirectUri`;
 * `state` is unguessable and used once. Throws ClientError `invalid` for `auth_url`.
 */
export function authorizationUrl(asking: Record<"authUrl" | "clientId" | "redirectUri" | "state", string>): URL {
	const { authUrl, clientId, redirectUri, state } = asking;
	const url = URL.parse(authUrl);
	if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
		throw invalid("petstore", SIGN_IN_FIELD, "must be an http or https address");
	}
	url.pathname = `${url.pathname.replace(/\/+$/, "")}/oauth/authorize`;
	url.hash = "";
	const asked = {
		response_type: "token",
		client_id: clientId,
		redirect_uri: redirectUri,
		scope: SIGN_IN_SCOPES.join(" "),
		state,
	};
	for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
	return url;
}

/** Refusal on a sign-in page, as of an unregistered redirect address (RFC 6749, 4.2.2.1); undefined for none. */
export async function refusalOfPage(
	url: URL,
	parts: Pick<ExchangeOptions, "transport" | "clock">,
): Promise<string | undefined> {
	const request = { method: "GET", url, headers: { accept: "text/html, */*;q=0.5" }, alone: true } as const;
	const patience = { silenceLimitMs: LIMITS.connectMs, budget: { leftMs: LIMITS.connectMs } };
	const result = await exchange(request, { ...parts, ...patience, service: "petstore", redact: String });
	if (!result.ok) return undefined;
	const { status, headers, body } = result.reply;
	const isRefusal = status === 400 || (status === 401 && headers["www-authenticate"] === undefined);
	return isRefusal ? wordsOfReply(excerptOf(body, String), status).message : undefined;
}

/**
 * Token in the address that a browser returned to, behind `#` or `?`. Null without an answer or with another state.
 * Throws ClientError for `auth_url`: `forbidden` if the person denied it, `malformed` without a bearer token.
 */
export function readAuthorization(address: string, { state, now }: { state: string; now: number }): AccessToken | null {
	// Mail and chat put marks around an address.
	const answer = parametersOf(address.replaceAll(/^[\s"'`<\u201c\u2018\u00ab]+|[\s"'`>\u201d\u2019\u00bb]+$/g, ""));
	// Only the request has a response type: the browser shows it until the person has decided.
	if (!isSame(answer.get("state") ?? "", state) || answer.has("response_type")) return null;
	const error = answer.get("error");
	if (error !== null) throw refusal(error);
	const value = answer.get("access_token") ?? "";
	if (!/^[\x21-\x7e]+$/.test(value) || !/^bearer$/i.test(answer.get("token_type") ?? "bearer")) {
		throw signInError("malformed", "The sign-in page answered without a token.");
	}
	const scope = answer.get("scope");
	const seconds = Number(answer.get("expires_in") ?? Number.NaN);
	return {
		value,
		// Without a scope the service has granted all that was asked for (RFC 6749, 4.2.2).
		scopes: scope === null ? SIGN_IN_SCOPES : (scope.match(/[^\s,]+/g) ?? []),
		expiresAt: seconds > 0 ? usableTime(now + seconds * 1_000) : null,
	};
}

function parametersOf(address: string): URLSearchParams {
	const behindHash = address.includes("#") ? address.slice(address.indexOf("#") + 1) : "";
	const fragment = new URLSearchParams(behindHash);
	if (fragment.has("state")) return fragment;
	return new URLSearchParams(address.split("#")[0]?.split("?")[1] ?? "");
}

/** Compares in constant time. */
function isSame(told: string, own: string): boolean {
	const [a, b] = [Buffer.from(told), Buffer.from(own)];
	return a.length === b.length && timingSafeEqual(a, b);
}

function refusal(error: string): ClientError {
	if (error === "access_denied") return signInError("forbidden", "The sign-in was denied.");
	if (error === "server_error" || error === "temporarily_unavailable") {
		return signInError("server", "The sign-in page failed.");
	}
	const known = /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : "";
	return signInError("invalid", `The sign-in page refused the request${known}.`);
}

/** Error of a sign-in. */
export function signInError(code: ErrorCode, message: string): ClientError {
	return new ClientError("petstore", code, message, { field: SIGN_IN_FIELD });
}

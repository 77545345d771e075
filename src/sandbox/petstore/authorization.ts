import { randomBytes } from "node:crypto";
import { type Authorization, SCOPES, type Scope } from "./behaviour.ts";
import type { Tokens } from "./keys.ts";

/** An application that asks for a token, as the page shows it. */
export interface Application {
	/** The name of the form: single use, known to the page only. */
	readonly ticket: string;
	readonly clientId: string;
	readonly redirectUri: URL;
	readonly scopes: readonly Scope[];
}

/** Answer to a request: a page that asks, a redirect, or a page that says why not. */
export type Verdict =
	| { readonly kind: "ask"; readonly application: Application }
	| { readonly kind: "redirect"; readonly to: string }
	| { readonly kind: "refuse"; readonly why: string };

interface Pending extends Application {
	readonly state: string | undefined;
	/** Epoch milliseconds. */
	readonly expiresAt: number;
}

/** Lifetime of a page. Milliseconds. */
const PATIENCE_MS = 10 * 60_000;

/** The parameters of a request, each of which may come once (RFC 6749, 3.1). */
const PARAMETERS = ["response_type", "client_id", "redirect_uri", "scope", "state"] as const;

/** The authorization endpoint of the OAuth 2.0 implicit flow (contract section 5; RFC 6749, 4.2). Any client is taken. */
export class AuthorizationEndpoint {
	readonly #tokens: Tokens;
	readonly #now: () => number;
	readonly #pending = new Map<string, Pending>();

	constructor(tokens: Tokens, now: () => number) {
		this.#tokens = tokens;
		this.#now = now;
	}

	/** Takes up a request for a token. What is wrong with client or address is not sent to that address. */
	open(query: URLSearchParams, behaviour: Authorization): Verdict {
		const twice = PARAMETERS.find((name) => query.getAll(name).length > 1);
		const clientId = query.get("client_id") ?? "";
		const redirectUri = redirectUriOf(query.get("redirect_uri") ?? "");
		if (twice === "client_id" || !/^[\x20-\x7e]{1,100}$/.test(clientId)) {
			return { kind: "refuse", why: "The application does not say who it is: client_id is missing or not readable." };
		}
		if (twice === "redirect_uri" || redirectUri === undefined) {
			return {
				kind: "refuse",
				why: "The application wants the answer sent to an address that is neither on this machine nor the editor's.",
			};
		}
		const state = query.get("state") ?? undefined;
		const fail = (error: string) => ({
			kind: "redirect" as const,
			to: answerTo({ redirectUri, state }, { error }, behaviour),
		});
		if (twice !== undefined) return fail("invalid_request");
		if (!query.has("response_type")) return fail("invalid_request");
		if (query.get("response_type") !== "token") return fail("unsupported_response_type");
		const asked = (query.get("scope") ?? SCOPES.join(" ")).split(" ");
		const scopes = SCOPES.filter((scope) => asked.includes(scope));
		if (scopes.length !== asked.length) return fail("invalid_scope");
		const ticket = randomBytes(24).toString("base64url");
		const application = { ticket, clientId, redirectUri, scopes };
		this.#pending.set(ticket, { ...application, state, expiresAt: this.#now() + PATIENCE_MS });
		return { kind: "ask", application };
	}

	/** Takes what a person decided on a page; nothing but the ticket, the decision and the approved scopes is believed. */
	decide(form: URLSearchParams, behaviour: Authorization): Verdict {
		const ticket = form.get("ticket") ?? "";
		const pending = this.#pending.get(ticket);
		this.#pending.delete(ticket);
		if (pending === undefined || pending.expiresAt <= this.#now()) {
			return { kind: "refuse", why: "This page has been used already, or it has waited too long. Sign in again." };
		}
		const approved = pending.scopes.filter((scope) => form.getAll("scope").includes(scope));
		if (form.get("decision") !== "approve" || approved.length === 0) {
			return { kind: "redirect", to: answerTo(pending, { error: "access_denied" }, behaviour) };
		}
		const { seconds = 3600, scopes = approved } = behaviour;
		const token = this.#tokens.mint(seconds, scopes);
		const answer = {
			access_token: token,
			token_type: "bearer",
			expires_in: `${seconds}`,
			scope: scopes.join(" "),
		};
		return { kind: "redirect", to: answerTo(pending, answer, behaviour) };
	}
}

function answerTo(
	{ redirectUri, state }: Pick<Pending, "redirectUri" | "state">,
	answer: Readonly<Record<string, string>>,
	{ omit = [], inQuery, forgedState }: Authorization,
): string {
	const told = forgedState ? randomBytes(16).toString("base64url") : state;
	const all = { ...answer, ...(told !== undefined && { state: told }) };
	const omitted: ReadonlySet<string> = new Set(omit);
	const parameters = new URLSearchParams(Object.entries(all).filter(([name]) => !omitted.has(name)));
	const to = new URL(redirectUri);
	if (inQuery) for (const [name, value] of parameters) to.searchParams.append(name, value);
	else to.hash = parameters.toString();
	return to.href;
}

/** The schemes that the editors register for themselves. */
const EDITOR_SCHEMES: ReadonlySet<string> = new Set(["vscode:", "vscode-insiders:", "code-oss:"]);

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * The address that an authorization may answer to, or undefined where it must not: a page on this machine at any port
 * (RFC 8252), the page of a port that an editor's server hands on (`<origin>/proxy/PORT/callback`), or a URI that the
 * editor handles itself. It has neither a user nor a fragment.
 */
export function redirectUriOf(text: string): URL | undefined {
	if (!URL.canParse(text)) return undefined;
	const uri = new URL(text);
	if (uri.username !== "" || uri.password !== "" || text.includes("#")) return undefined;
	if (EDITOR_SCHEMES.has(uri.protocol)) return /^[\w-]+\.[\w-]+$/.test(uri.host) ? uri : undefined;
	if (uri.protocol === "http:" && LOOPBACK.has(uri.hostname)) return uri;
	const isWeb = uri.protocol === "http:" || uri.protocol === "https:";
	return isWeb && /^\/proxy\/\d{1,5}\/callback$/.test(uri.pathname) ? uri : undefined;
}

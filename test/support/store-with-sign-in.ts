import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AuthorizationServer, isOAuthError, JwtService, type OAuthClient } from "@jmondi/oauth2-server";
import type { Sandbox } from "#sandbox/sandbox.ts";

/** Answer to the sign-ins from now on. */
export interface SignInBehavior {
	/** Granted scopes, whatever was requested; the server does not say that they are fewer. All by default. */
	readonly scopes?: readonly string[];
	/** The only addresses that a browser is sent back to; any `/callback` by default. */
	readonly registered?: readonly string[];
}

/** A pet store whose tokens are those of an authorization server that is none of ours. */
export interface StoreWithSignIn {
	/** Of the store; `/oauth/authorize` is below it too. */
	readonly baseUrl: string;
	/** Client id under which the editor is registered. */
	readonly clientId: string;
	/** The bearer values that the store was sent, in order. */
	readonly seen: readonly string[];
	behave(behavior: SignInBehavior): void;
	close(): Promise<void>;
}

const CLIENT_ID = "pets-editor/1";
const HOUR_MS = 3_600_000;
const SCOPES = [{ name: "read:pets" }, { name: "write:pets" }];
const jwt = new JwtService("a secret of this test");

/**
 * Starts a store on loopback: sign-ins are answered by `@jmondi/oauth2-server`, and what its tokens allow is asked of the
 * sandbox's store behind it.
 */
export async function startStoreWithSignIn(sandbox: Sandbox): Promise<StoreWithSignIn> {
	const seen: string[] = [];
	let behavior: SignInBehavior = {};
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? "", "http://127.0.0.1");
		const answer = url.pathname === "/oauth/authorize" ? authorize(request, { url, behavior }) : ask(request);
		answer.then(
			(reply) => send(reply, response),
			(error: unknown) => send({ status: 500, body: String(error) }, response),
		);
	});
	const ask = async (request: IncomingMessage): Promise<Reply> => {
		const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
		if (bearer !== undefined) seen.push(bearer);
		return forward(request, { sandbox, token: bearer === undefined ? undefined : await sandboxToken(bearer, sandbox) });
	};
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The store has no port.");
	return {
		baseUrl: `http://127.0.0.1:${address.port}`,
		clientId: CLIENT_ID,
		seen,
		behave(next) {
			behavior = next;
		},
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

interface Reply {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
}

function send({ status, headers = {}, body = "" }: Reply, response: ServerResponse): void {
	response.writeHead(status, { "cache-control": "no-store", ...headers });
	response.end(body);
}

/** GET asks the person, POST is what the person said. */
async function authorize(
	request: IncomingMessage,
	{ url, behavior }: { readonly url: URL; readonly behavior: SignInBehavior },
): Promise<Reply> {
	const query = Object.fromEntries(url.searchParams);
	const to = query["redirect_uri"] ?? "";
	try {
		const server = serverFor(to, behavior);
		const asked = await server.validateAuthorizationRequest({ headers: {}, body: {}, query });
		if (request.method === "GET") return { status: 200, headers: { "content-type": "text/html" }, body: PAGE };
		const form = new URLSearchParams(await textOf(request));
		asked.user = { id: "ada" };
		asked.isAuthorizationApproved = form.get("decision") === "approve";
		const { status, headers } = await server.completeAuthorizationRequest(asked);
		return { status, headers: { location: String(headers["location"]) } };
	} catch (error) {
		if (!isOAuthError(error)) throw error;
		if (error.errorType !== "access_denied") return { status: error.status, body: error.message };
		// A server may report a denial as it likes (RFC 6749, 4.2.2.1).
		const answer = new URLSearchParams({ error: error.errorType, state: query["state"] ?? "" });
		return { status: 302, headers: { location: `${to}#${answer}` } };
	}
}

const PAGE = `<!doctype html><html lang="en"><title>Sign in</title><h1>Sign in to the pets</h1>
<form method="post"><button name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button></form></html>`;

/** The path of a callback differs from port to port where a server of editors hands it on: registered is what is like one. */
function serverFor(redirectUri: string, { scopes, registered }: SignInBehavior): AuthorizationServer {
	const isCallback = /^\/(?:proxy\/\d+\/)?callback$/.test(URL.parse(redirectUri)?.pathname ?? "");
	const client: OAuthClient = {
		id: CLIENT_ID,
		name: "An editor",
		scopes: SCOPES,
		allowedGrants: ["implicit"],
		redirectUris: registered ? [...registered] : isCallback ? [redirectUri] : [],
	};
	const notHere = () => Promise.reject(new Error("The implicit flow has no use for this."));
	const server = new AuthorizationServer(
		{
			getByIdentifier: async (id) => (id === CLIENT_ID ? client : Object.assign({}, client, { allowedGrants: [] })),
			isClientValid: async () => true,
		},
		{
			issueToken: async (owner, given, user) => ({
				accessToken: crypto.randomUUID(),
				accessTokenExpiresAt: new Date(),
				client: owner,
				scopes: given,
				user: user ?? null,
			}),
			persist: async (token) => {
				token.accessTokenExpiresAt = new Date(Date.now() + HOUR_MS);
			},
			issueRefreshToken: notHere,
			revoke: notHere,
			isRefreshTokenRevoked: notHere,
			getByRefreshToken: notHere,
		},
		{
			getAllByIdentifiers: async (names) => SCOPES.filter(({ name }) => names.includes(name)),
			finalize: async (asked, _grant, _client, user) =>
				user === undefined ? asked : asked.filter(({ name }) => scopes?.includes(name) ?? true),
		},
		jwt,
		{ implicitRedirectMode: "fragment", notBeforeLeeway: 5 },
	);
	server.enableGrantType("implicit");
	return server;
}

/** A token of the sandbox that allows what the server's own allows; of one that is forged or has ended, none that lives. */
async function sandboxToken(bearer: string, { petstore }: Sandbox): Promise<string> {
	try {
		const { scope } = await jwt.verify(bearer);
		const names = String(scope).split(" ");
		const scopes = (["read:pets", "write:pets"] as const).filter((each) => names.includes(each));
		return petstore.tokens.mint(3600, scopes);
	} catch {
		return petstore.tokens.mint(-1);
	}
}

async function forward(
	request: IncomingMessage,
	{ sandbox, token }: { readonly sandbox: Sandbox; readonly token: string | undefined },
): Promise<Reply> {
	const kept = ["accept", "content-type", "api_key"].flatMap((name) => {
		const value = request.headers[name];
		return typeof value === "string" ? [[name, value] as const] : [];
	});
	const body = await textOf(request);
	const reply = await fetch(sandbox.baseUrls.petstore + request.url, {
		method: request.method ?? "GET",
		headers: { ...Object.fromEntries(kept), ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
		...(body === "" ? {} : { body }),
	});
	const type = reply.headers.get("content-type");
	return {
		status: reply.status,
		headers: type === null ? {} : { "content-type": type },
		body: new Uint8Array(await reply.arrayBuffer()),
	};
}

async function textOf(request: IncomingMessage): Promise<string> {
	const pieces: Buffer[] = [];
	for await (const piece of request) pieces.push(Buffer.from(piece));
	return Buffer.concat(pieces).toString("utf8");
}

import { createHash, randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { escapeHtml } from "#base/escaped.ts";
import { readBody, type SandboxExchange } from "#sandbox/http.ts";
import { SANDBOX_SCOPES, type Scope, type Tokens } from "./keys.ts";

const MEANINGS: Readonly<Record<Scope, string>> = {
	"read:pets": "read your pets",
	"write:pets": "modify pets in your account",
};

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
fieldset { margin: 1.5rem 0; padding: .75rem 1rem; border: 1px solid; border-radius: .5rem; }
label { display: block; padding: .25rem 0; }
code { overflow-wrap: anywhere; }
button { min-width: 8rem; margin-right: .75rem; padding: .5rem 1rem; font: inherit; }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

interface Application {
	readonly clientId: string;
	readonly redirectUri: URL;
	readonly scopes: readonly Scope[];
	readonly state: string | undefined;
}

const LARGEST_FORM = 32 * 1024;

/** Handler of the OAuth 2.0 implicit flow (contract section 5; RFC 6749, 4.2) for any client. */
export function authorizationEndpoint(tokens: Tokens) {
	/** Applications by the single-use ticket of their page's form. */
	const pending = new Map<string, Application>();

	/** Handles a request for a token. Errors of client or address are not sent to that address. */
	function open(response: ServerResponse, query: URLSearchParams): ServerResponse {
		const clientId = query.get("client_id") ?? "";
		const redirectUri = redirectUriOf(query.get("redirect_uri") ?? "");
		if (clientId === "") return refuse(response, "The application does not say who it is: client_id is missing.");
		if (redirectUri === undefined) {
			const why =
				"The application wants the answer sent to an address that is neither on this machine nor the editor's.";
			return refuse(response, why);
		}
		const state = query.get("state") ?? undefined;
		const asked = (query.get("scope") ?? SANDBOX_SCOPES.join(" ")).split(" ");
		const scopes = SANDBOX_SCOPES.filter((scope) => asked.includes(scope));
		const application = { clientId, redirectUri, scopes, state };
		const fail = (error: string) => sendBack(response, application, { error });
		if (!query.has("response_type")) return fail("invalid_request");
		if (query.get("response_type") !== "token") return fail("unsupported_response_type");
		if (scopes.length !== asked.length) return fail("invalid_scope");
		const ticket = randomBytes(24).toString("base64url");
		pending.set(ticket, application);
		return sendQuestion(response, ticket, application);
	}

	/** Handles the decision; trusts only ticket, decision and scopes of the form. */
	function decide(response: ServerResponse, form: URLSearchParams, tokenSeconds: number): ServerResponse {
		const ticket = form.get("ticket") ?? "";
		const application = pending.get(ticket);
		pending.delete(ticket);
		if (application === undefined) return refuse(response, "This page has been used already. Sign in again.");
		const approved = application.scopes.filter((scope) => form.getAll("scope").includes(scope));
		if (form.get("decision") !== "approve" || approved.length === 0) {
			return sendBack(response, application, { error: "access_denied" });
		}
		return sendBack(response, application, {
			access_token: tokens.mint(tokenSeconds, approved),
			token_type: "bearer",
			expires_in: `${tokenSeconds}`,
			scope: approved.join(" "),
		});
	}

	/** GET asks the person, POST submits the decision. A token lives `tokenSeconds`. */
	return async ({ request, response, url }: SandboxExchange, tokenSeconds = 3600): Promise<ServerResponse> => {
		if (request.method === "POST") {
			const form = await readBody(request, LARGEST_FORM);
			return decide(response, new URLSearchParams(form.toString("utf8")), tokenSeconds);
		}
		request.resume();
		return open(response, url.searchParams);
	};
}

/** Redirects to the application, with the answer in the fragment. */
function sendBack(
	response: ServerResponse,
	{ redirectUri, state }: Application,
	answer: Readonly<Record<string, string>>,
): ServerResponse {
	const to = new URL(redirectUri);
	to.hash = new URLSearchParams({ ...answer, ...(state !== undefined && { state }) }).toString();
	response.writeHead(303, {
		location: to.href,
		"content-length": 0,
		"cache-control": "no-store",
		"referrer-policy": "no-referrer",
	});
	return response.end();
}

/** Sends the approval page, which works without scripts. */
function sendQuestion(response: ServerResponse, ticket: string, { clientId, redirectUri, scopes }: Application) {
	const boxes = scopes.map(
		(scope) =>
			`<label><input type="checkbox" name="scope" value="${scope}" checked> ${MEANINGS[scope]} (<code>${scope}</code>)</label>`,
	);
	return sendPage(response, 200, {
		title: "Sign in to the sandbox’s pet store",
		// A form's target also has to allow where its answer redirects to.
		formTarget: redirectUri.protocol.startsWith("http") ? redirectUri.origin : redirectUri.protocol,
		body: `<p><strong>${escapeHtml(clientId)}</strong> asks to use the pet store. The answer goes to <code>${escapeHtml(redirectUri.href)}</code>.</p>
<form method="post" action="authorize">
<input type="hidden" name="ticket" value="${ticket}">
<fieldset><legend>It may</legend>
${boxes.join("\n")}
</fieldset>
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>
</form>
<p>This store lives on your machine; nothing leaves it.</p>`,
	});
}

function refuse(response: ServerResponse, why: string): ServerResponse {
	return sendPage(response, 400, {
		title: "This sign-in cannot go on",
		body: `<p role="alert">${escapeHtml(why)}</p>`,
	});
}

/** Sends an HTML page. `formTarget` is where its form may lead besides this server. */
function sendPage(
	response: ServerResponse,
	status: number,
	{ title, body, formTarget }: { readonly title: string; readonly body: string; readonly formTarget?: string },
): ServerResponse {
	const bytes = Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>
`);
	const target = formTarget === undefined ? "'none'" : `'self' ${formTarget}`;
	response.writeHead(status, {
		"content-type": "text/html; charset=utf-8",
		"content-length": bytes.length,
		"content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${target}; frame-ancestors 'none'; base-uri 'none'`,
		"cache-control": "no-store",
		// Not "no-referrer": the form would then be sent with the origin "null".
		"referrer-policy": "same-origin",
		"x-content-type-options": "nosniff",
	});
	return response.end(bytes);
}

const EDITOR_SCHEMES: ReadonlySet<string> = new Set(["vscode:", "vscode-insiders:", "code-oss:"]);

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Allowed redirect target, else undefined: a loopback page (RFC 8252), a forwarded port or an editor URI. */
export function redirectUriOf(text: string): URL | undefined {
	if (!URL.canParse(text)) return undefined;
	const uri = new URL(text);
	if (uri.username !== "" || uri.password !== "" || text.includes("#")) return undefined;
	if (EDITOR_SCHEMES.has(uri.protocol)) return /^[\w-]+\.[\w-]+$/.test(uri.host) ? uri : undefined;
	if (uri.protocol === "http:" && LOOPBACK.has(uri.hostname)) return uri;
	const isWeb = uri.protocol === "http:" || uri.protocol === "https:";
	return isWeb && /^\/proxy\/\d{1,5}\/callback$/.test(uri.pathname) ? uri : undefined;
}

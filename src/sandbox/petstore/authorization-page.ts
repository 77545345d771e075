import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Exchange, jsonContent, readBody } from "#sandbox/http.ts";
import type { Application, AuthorizationEndpoint, Verdict } from "./authorization.ts";
import type { Authorization, Scope } from "./behaviour.ts";

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

/** Sends the page on which a person approves or denies. It works without scripts. */
function sendQuestion(response: ServerResponse, { ticket, clientId, redirectUri, scopes }: Application): void {
	const boxes = scopes.map(
		(scope) =>
			`<label><input type="checkbox" name="scope" value="${scope}" checked> ${MEANINGS[scope]} (<code>${scope}</code>)</label>`,
	);
	sendPage(response, {
		status: 200,
		title: "Sign in to the sandbox’s pet store",
		// A form's target also has to allow where its answer redirects to.
		formTarget: redirectUri.protocol.startsWith("http") ? redirectUri.origin : redirectUri.protocol,
		body: `<p><strong>${asHtml(clientId)}</strong> asks to use the pet store. The answer goes to <code>${asHtml(redirectUri.href)}</code>.</p>
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

/** Sends the page that says why nobody is asked. */
function sendRefusal(response: ServerResponse, why: string): void {
	sendPage(response, { status: 400, title: "This sign-in cannot go on", body: `<p role="alert">${asHtml(why)}</p>` });
}

interface Page {
	readonly status: number;
	readonly title: string;
	/** Target of a form, besides this server. */
	readonly formTarget?: string;
	/** HTML. */
	readonly body: string;
}

function sendPage(response: ServerResponse, { status, title, formTarget, body }: Page): void {
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
	response.end(bytes);
}

function asHtml(text: string): string {
	return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** The largest form that is read, in bytes. */
const LARGEST_FORM = 32 * 1024;

/** Answers one request of a browser to the authorization endpoint: GET asks the person, POST is what the person said. */
export async function answerAuthorization(
	{ request, response, url }: Exchange,
	desk: AuthorizationEndpoint,
	behaviour: Authorization,
): Promise<void> {
	switch (request.method) {
		case "GET":
			request.resume();
			return show(response, desk.open(url.searchParams, behaviour));
		case "POST": {
			const form = await readBody(request, LARGEST_FORM);
			return show(response, desk.decide(new URLSearchParams(form.toString("utf8")), behaviour));
		}
		default:
			request.resume();
			response.writeHead(405, { allow: "GET, POST", "content-type": "application/json" });
			response.end(jsonContent({ code: 405, type: "error", message: "Only GET and POST are answered here" }).text);
	}
}

function show(response: ServerResponse, verdict: Verdict): void {
	switch (verdict.kind) {
		case "ask":
			sendQuestion(response, verdict.application);
			return;
		case "refuse":
			sendRefusal(response, verdict.why);
			return;
		case "redirect":
			response.writeHead(303, {
				location: verdict.to,
				"content-length": 0,
				"cache-control": "no-store",
				"referrer-policy": "no-referrer",
			});
			response.end();
	}
}

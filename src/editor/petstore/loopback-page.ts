import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Disposable } from "#base/disposables.ts";

/** The path to which a browser is sent after a sign-in. */
const CALLBACK = "/callback";

/** Sent by the page and by nothing that a foreign page can make a browser send unasked. */
const HEADER = "x-switchboard-sign-in";

/** The longest answer that is read. Bytes. */
const LARGEST_ANSWER = 32 * 1024;

const SECURITY = {
	"cache-control": "no-store",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
};

/** A page on this machine that hands on what stands behind `#` in its own address, which no server is ever sent. */
export interface LoopbackPage extends Disposable {
	/** Such as `http://127.0.0.1:41000/callback`. */
	readonly address: string;
}

/**
 * Opens the page on a free port. `take` is given each answer that a browser brings, and says in a sentence what became
 * of it; undefined for one that is not what is waited for.
 */
export async function openLoopbackPage(take: (answer: string) => string | undefined): Promise<LoopbackPage> {
	const server = createServer((request, response) => {
		serve({ request, response }, take).catch(() => response.destroy());
	});
	const port = await listen(server);
	return {
		address: `http://127.0.0.1:${port}${CALLBACK}`,
		dispose() {
			server.close();
			server.closeIdleConnections();
		},
	};
}

interface Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
}

async function serve({ request, response }: Exchange, take: (answer: string) => string | undefined): Promise<void> {
	const path = (request.url ?? "").split("?", 1)[0];
	if (path !== CALLBACK) return end(response, 404);
	if (request.method === "GET") return sendPage(response);
	if (request.method !== "POST") return end(response, 405);
	if (request.headers[HEADER] === undefined || !isOwn(request)) return end(response, 403);
	const answer = await readText(request);
	if (answer === undefined) return end(response, 413);
	const said = take(answer);
	response.writeHead(said === undefined ? 400 : 200, { ...SECURITY, "content-type": "text/plain; charset=utf-8" });
	response.end(said ?? "This is not the answer to the sign-in that the editor waits for.");
}

/** Whether the page itself has sent it: a browser names the page's origin, which is that of the address it is sent to. */
function isOwn({ headers }: IncomingMessage): boolean {
	const host = URL.parse(headers.origin ?? "")?.host;
	return host !== undefined && (host === headers.host || host === headers["x-forwarded-host"]);
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
	const pieces: Buffer[] = [];
	let length = 0;
	for await (const piece of request) {
		const bytes = Buffer.from(piece);
		length += bytes.length;
		if (length > LARGEST_ANSWER) return undefined;
		pieces.push(bytes);
	}
	return Buffer.concat(pieces).toString("utf8");
}

/** The answer is sent on at once and taken out of the address, so that it stays neither in sight nor in the history. */
function sendPage(response: ServerResponse): void {
	const nonce = randomBytes(16).toString("base64");
	const policy = `default-src 'none'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'`;
	response.writeHead(200, {
		...SECURITY,
		"content-type": "text/html; charset=utf-8",
		"content-security-policy": policy,
	});
	response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Switchboard</title>
<main role="status">One moment...</main>
<script nonce="${nonce}">
const main = document.querySelector("main");
const answer = location.hash.length > 1 ? location.hash : location.search;
history.replaceState(null, "", location.pathname);
fetch(location.pathname, { method: "POST", headers: { "${HEADER}": "1" }, body: answer })
	.then((reply) => reply.text())
	.then((text) => { main.textContent = text; })
	.catch(() => { main.textContent = "The editor does not wait for this sign-in any more. Start it again there."; });
</script>
`);
}

function end(response: ServerResponse, status: number): void {
	response.writeHead(status, { ...SECURITY, "content-length": 0, connection: "close" });
	response.end();
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(0, "127.0.0.1", resolve);
	});
	const address = server.address();
	return typeof address === "object" && address !== null ? address.port : 0;
}

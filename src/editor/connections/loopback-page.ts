import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TakeAnswer } from "#app/petstore/sign-in.ts";

/** The path to which a browser is sent after a sign-in. */
const CALLBACK = "/callback";

/** Header that only our page sends: a foreign page cannot add it without a preflight. */
const HEADER = "x-switchboard-sign-in";

/** The longest answer that is read. Bytes. */
const LARGEST_ANSWER = 32 * 1024;

/** Host names under which the editor may forward the port. */
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

const SECURITY = {
	"cache-control": "no-store",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
};

/** Serves a loopback page that posts its own fragment; `outside` maps its address to that of the browser. */
export async function openLoopbackPage(take: TakeAnswer, outside: (address: string) => Promise<string>) {
	let host: string | undefined;
	const server = createServer((request, response) => {
		serve(request, response, host, take).catch(() => response.destroy());
	});
	const close = () => {
		server.close();
		server.closeIdleConnections();
	};
	try {
		const address = await outside(`http://127.0.0.1:${await listen(server)}${CALLBACK}`);
		host = new URL(address).host;
		return { address, dispose: close };
	} catch (error) {
		close();
		throw error;
	}
}

/** `host` is that of the page's address outside, with its port. */
async function serve(
	request: IncomingMessage,
	response: ServerResponse,
	host: string | undefined,
	take: TakeAnswer,
): Promise<void> {
	const { method, headers, url = "" } = request;
	if (url.split("?", 1)[0] !== CALLBACK) return end(response, 404);
	// A Host header that names this page or this machine defeats DNS rebinding.
	const isOurs = headers.host !== undefined && headers.host === host;
	if (!isOurs && !LOOPBACK.has(URL.parse(`http://${headers.host}`)?.hostname ?? "")) return end(response, 421);
	if (method === "GET") return sendPage(response);
	if (method !== "POST") return end(response, 405);
	// The Origin header must be that of our page.
	const isOwn = host !== undefined && URL.parse(headers.origin ?? "")?.host === host;
	if (headers[HEADER] === undefined || !isOwn) return end(response, 403);
	if (!(Number(headers["content-length"]) <= LARGEST_ANSWER)) return end(response, 413);
	const said = take(await text(request));
	response.writeHead(said === undefined ? 400 : 200, { ...SECURITY, "content-type": "text/plain; charset=utf-8" });
	response.end(said ?? "This does not belong to the sign-in that the editor is waiting for.");
}

/** Page that posts the answer at once and removes it from the address and the history. */
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
	.catch(() => { main.textContent = "The editor is no longer waiting for this sign-in. Start it again there."; });
</script>
`);
}

function end(response: ServerResponse, status: number): void {
	response.writeHead(status, { ...SECURITY, "content-length": 0, connection: "close" });
	response.end();
}

async function listen(server: Server): Promise<number> {
	await once(server.listen(0, "127.0.0.1"), "listening");
	const address = server.address();
	return typeof address === "object" && address !== null ? address.port : 0;
}

import type { IncomingMessage, ServerResponse } from "node:http";

/** One request on its way through a room. */
export interface Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** The path below the room's base URL, beginning with `/`, without the query. */
	readonly path: string;
	readonly query: URLSearchParams;
}

/** One of the sandbox's services. All rooms share a server; each has a base URL of its own on it. */
export interface Room {
	/** Answers one request completely, or throws when that is not possible any more because the client went away. */
	handle(exchange: Exchange): Promise<void>;
	/** True if a path is a page that a browser is sent to, perhaps through a port that was forwarded to this one. */
	isPage?(path: string): boolean;
	/** Cuts off what is under way. */
	close(): void;
}

/** A whole JSON answer. */
export interface JsonAnswer {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

/** A body beyond the limit. */
export class TooLarge extends Error {
	override readonly name = "TooLarge";
}

/** Sends a JSON answer and ends the exchange. */
export function sendJson(response: ServerResponse, { status, body, headers }: JsonAnswer): void {
	const bytes = Buffer.from(JSON.stringify(body));
	response.writeHead(status, {
		...headers,
		"content-type": "application/json; charset=utf-8",
		"content-length": bytes.length,
	});
	response.end(bytes);
}

/** Options of reading a body. */
export interface ReadBodyOptions {
	/** Reads no faster than this; as fast as it comes by default. */
	readonly bytesPerSecond?: number | undefined;
}

/** Reads the whole body. Throws {@link TooLarge} beyond `limit` bytes; what the client still sends is thrown away. */
export function readBody(
	request: IncomingMessage,
	limit: number,
	{ bytesPerSecond }: ReadBodyOptions = {},
): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		let timer: NodeJS.Timeout | undefined;
		request.once("close", () => clearTimeout(timer));
		request.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size <= limit) chunks.push(chunk);
			else {
				chunks.length = 0;
				reject(new TooLarge(`The body is larger than ${limit} bytes.`));
			}
			if (bytesPerSecond === undefined) return;
			request.pause();
			timer = setTimeout(() => request.resume(), (chunk.length / bytesPerSecond) * 1000);
		});
		request.on("end", () => resolve(Buffer.concat(chunks)));
		request.on("error", reject);
	});
}

/**
 * Why a request is not one of a local program's, or undefined when it is. A web page must not reach the sandbox: a
 * name that was rebound to 127.0.0.1 shows in Host, a cross-origin request in Origin. A page may be asked for by way of
 * another port of this machine, and guards its form itself.
 */
export function foreignness(request: IncomingMessage, { isPage = false } = {}): string | undefined {
	const port = request.socket.localPort;
	const own = [`127.0.0.1:${port}`, `localhost:${port}`];
	const host = request.headers.host?.toLowerCase();
	const isOwn = isPage ? /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host ?? "") : own.some((name) => name === host);
	if (!isOwn) return "The Host header does not name this server.";
	const origin = request.headers.origin?.toLowerCase();
	if (!isPage && origin !== undefined && !own.some((name) => origin === `http://${name}`)) {
		return "Requests from web pages are not answered.";
	}
	return undefined;
}

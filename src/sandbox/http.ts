import type { IncomingMessage, ServerResponse } from "node:http";

/** One request on its way through a room. */
export interface SandboxExchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** The path below the room's base URL, beginning with `/`, without the query. */
	readonly path: string;
	/** The address as the client asked for it. */
	readonly url: URL;
}

/** One of the sandbox's services. All rooms share a server; each has a base URL of its own on it. */
export interface Room {
	/** Answers one request completely, or throws when that is not possible any more because the client went away. */
	handle(exchange: SandboxExchange): Promise<void>;
	/** True if a path is a page that a browser is sent to, perhaps through a port that was forwarded to this one. */
	isPage?(path: string): boolean;
}

/** Thrown to refuse a request. */
export class Refused extends Error {
	override readonly name = "Refused";
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	/** Body of a proxy in place of the service's own. */
	readonly page: "html" | "empty" | undefined;

	constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}, page?: Refused["page"]) {
		super(message);
		this.status = status;
		this.headers = headers;
		this.page = page;
	}
}

/** Content of an answer. */
export interface Content {
	readonly type: string;
	readonly text: string;
}

/** A value as JSON. */
export function jsonContent(value: unknown): Content {
	return { type: "application/json; charset=utf-8", text: JSON.stringify(value) ?? "" };
}

/** Media types of an `Accept` header in its order, in lower case and without their parameters. */
export function mediaTypesOf(accept: string): readonly string[] {
	return accept.split(",").map((range) => (range.split(";")[0] ?? "").trim().toLowerCase());
}

/** Reads the whole body. Refuses one beyond `limit` bytes with 413; the rest of it is thrown away. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		request.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size <= limit) chunks.push(chunk);
			else {
				chunks.length = 0;
				reject(new Refused(413, `The body is larger than ${limit} bytes.`));
			}
		});
		request.on("end", () => resolve(Buffer.concat(chunks)));
		request.on("error", reject);
	});
}

/**
 * Reason why a request is not one of a local program's, or undefined when it is. A web page must not reach the sandbox:
 * a name that was rebound to 127.0.0.1 shows in Host, a cross-origin request in Origin. A page may be requested by way
 * of another port of this machine, and guards its form itself.
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

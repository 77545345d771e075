import type { IncomingMessage, ServerResponse } from "node:http";

/** Request within a room. */
export interface SandboxExchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** Path below the room's base URL, with a leading slash and no query. */
	readonly path: string;
	readonly url: URL;
}

/** Service of the sandbox, with a base URL of its own on the shared server. */
export interface Room {
	/** Answers a request. Throws if the client disconnects. */
	handle(exchange: SandboxExchange): Promise<void>;
	/** True for a page that browsers open, perhaps through a forwarded port. */
	isPage?(path: string): boolean;
}

/** Refusal of a request. */
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

/** Body with its media type. */
export interface Content {
	readonly type: string;
	readonly text: string;
}

/** JSON body. */
export function jsonContent(value: unknown): Content {
	return { type: "application/json; charset=utf-8", text: JSON.stringify(value) ?? "" };
}

/** Media types of an `Accept` header in order, lower case, without parameters. */
export function mediaTypesOf(accept: string): readonly string[] {
	return accept.split(",").map((range) => (range.split(";")[0] ?? "").trim().toLowerCase());
}

/** Reads a body. Refuses one of more than `limit` bytes with 413. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request.iterator({ destroyOnReturn: false })) {
		size += chunk.length;
		if (size > limit) throw new Refused(413, `The body is larger than ${limit} bytes.`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/**
 * Reason to refuse a request of a web page: DNS rebinding shows in Host, a cross-origin request in Origin. Pages may be
 * opened through another port and protect their forms themselves. Undefined for local programs.
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

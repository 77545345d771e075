import type { ServerResponse } from "node:http";
import { sendJson } from "#sandbox/http.ts";
import type { Failure } from "./behaviour.ts";

/** The message of every 401 (contract section 7). */
export const BAD_CREDENTIALS = "Bad credentials";

/** The message of a 403 for an app (contract section 7). */
export const NOT_ACCESSIBLE = "Resource not accessible by integration";

/** The message of a 403 or 429 beyond the limit (contract section 7). */
export const LIMIT_EXCEEDED = "rate limit exceeded";

/** More about a refusal than the contract shows. */
export interface RefusalDetails {
	readonly headers?: Readonly<Record<string, string>>;
	/**
	 * Why, for whoever reads the traffic: sent as `x-sandbox-reason`, as the contract has one message for many mistakes.
	 * No client may depend on it.
	 */
	readonly reason?: string;
}

/** Thrown to refuse a request with a status and the body `{"message"}` (contract section 7). */
export class Refused extends Error {
	override readonly name = "Refused";
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;

	constructor(status: number, message: string, { headers = {}, reason }: RefusalDetails = {}) {
		super(message);
		this.status = status;
		this.headers = { ...headers, ...(reason !== undefined && { "x-sandbox-reason": reason }) };
	}
}

/** The 401 of the contract; `reason` says which of the many causes it was. */
export function badCredentials(reason: string): Refused {
	return new Refused(401, BAD_CREDENTIALS, { reason });
}

/** The 403 of the contract for an app's token; `reason` says what is missing. */
export function notAccessible(reason: string): Refused {
	return new Refused(403, NOT_ACCESSIBLE, { reason });
}

/** The 404 for what is not there, or must not be known to be there. */
export function notFound(reason: string): Refused {
	return new Refused(404, "Not Found", { reason });
}

/** Sends a refusal. */
export function refuse(response: ServerResponse, { status, message, headers }: Refused): void {
	sendJson(response, { status, headers, body: { message } });
}

/** Sends the error that was asked for. `now` is the host's time in epoch milliseconds. */
export function fail(response: ServerResponse, failure: Failure, now: number): void {
	const { status, remaining, resetSeconds, retryAfterSeconds, retryAfterDateSeconds } = failure;
	const headers: Record<string, string> = {
		...(remaining !== undefined && { "x-ratelimit-remaining": `${remaining}` }),
		...(resetSeconds !== undefined && { "x-ratelimit-reset": `${Math.ceil(now / 1000 + resetSeconds)}` }),
		...(retryAfterSeconds !== undefined && { "retry-after": `${retryAfterSeconds}` }),
		...(retryAfterDateSeconds !== undefined && {
			"retry-after": new Date(now + retryAfterDateSeconds * 1000).toUTCString(),
		}),
	};
	const message = failure.message ?? `The sandbox was asked to answer ${status}.`;
	switch (failure.body ?? "json") {
		case "json":
			sendJson(response, { status, headers, body: { message } });
			return;
		case "html":
			response.writeHead(status, { ...headers, "content-type": "text/html" });
			response.end(`<html><head><title>${status}</title></head><body><h1>Something went wrong</h1></body></html>`);
			return;
		case "empty":
			response.writeHead(status, { ...headers, "content-length": 0 });
			response.end();
	}
}

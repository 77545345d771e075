import type { ServerResponse } from "node:http";
import { sendJson } from "#sandbox/http.ts";
import type { Failure } from "./behaviour.ts";

/** The HTTP errors of the service; the type in the body follows from the status. */
export interface Refusal {
	readonly status: number;
	readonly message: string;
	readonly headers?: Readonly<Record<string, string>>;
}

const TYPES: ReadonlyMap<number, string> = new Map([
	[400, "invalid_request_error"],
	[401, "authentication_error"],
	[402, "billing_error"],
	[403, "permission_error"],
	[404, "not_found_error"],
	[405, "invalid_request_error"],
	[408, "timeout_error"],
	[409, "conflict_error"],
	[413, "request_too_large"],
	[429, "rate_limit_error"],
	[504, "timeout_error"],
	[529, "overloaded_error"],
]);

/** Sends an error as the service does: `{"type":"error","error":{"type","message"},"request_id"}`. */
export function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
	sendJson(response, {
		status,
		body: { type: "error", error: { type: typeOf(status), message }, request_id: requestIdOf(response) },
		...(headers && { headers }),
	});
}

/** Sends the error a caller asked for. */
export function fail(response: ServerResponse, failure: Failure): void {
	const { status } = failure;
	const headers = failureHeaders(failure);
	const message = `The sandbox was asked to answer ${status}.`;
	switch (failure.body ?? "wrapped") {
		case "wrapped":
			refuse(response, { status, message, headers });
			return;
		case "bare":
			sendJson(response, { status, headers, body: { error: { type: typeOf(status), message } } });
			return;
		case "coded":
			sendJson(response, { status, headers, body: { error: { code: status, message, type: typeOf(status) } } });
			return;
		case "html":
			response.writeHead(status, { ...headers, "content-type": "text/html" });
			response.end(`<html><head><title>${status}</title></head><body><h1>${message}</h1></body></html>`);
			return;
		case "empty":
			response.writeHead(status, { ...headers, "content-length": 0 });
			response.end();
	}
}

function failureHeaders(failure: Failure): Record<string, string> {
	const { retryAfterSeconds, retryAfterDateSeconds, retryAfterMs, shouldRetry } = failure;
	return {
		...(retryAfterSeconds !== undefined && { "retry-after": `${retryAfterSeconds}` }),
		...(retryAfterDateSeconds !== undefined && {
			"retry-after": new Date(Date.now() + retryAfterDateSeconds * 1000).toUTCString(),
		}),
		...(retryAfterMs !== undefined && { "retry-after-ms": `${retryAfterMs}` }),
		...(shouldRetry !== undefined && { "x-should-retry": `${shouldRetry}` }),
	};
}

function typeOf(status: number): string {
	return TYPES.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error");
}

function requestIdOf(response: ServerResponse): string {
	return String(response.getHeader("request-id"));
}

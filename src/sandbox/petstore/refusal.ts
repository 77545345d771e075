import type { ServerResponse } from "node:http";
import { type Infer, integer, number, oneOf, shape, text } from "#sandbox/strict.ts";
import { type Format, stringifyExact } from "./format.ts";
import { escapeXml, toXml } from "./xml.ts";

/**
 * Forms of an error body, for the contract does not show it (section 7): `api-response` (the default) is an ApiResponse in
 * the format that was asked for, `problem` is problem+json, `xml` an ApiResponse as XML whatever was asked for, `html` a
 * page as proxies send it, `text` a plain sentence, `empty` nothing under the name of JSON.
 */
export const readErrorBody = oneOf("api-response", "problem", "xml", "html", "text", "empty");

/** One form of an error body. */
export type ErrorBody = Infer<typeof readErrorBody>;

/** HTTP error in place of an answer, `times` in a row, by default always; nothing is changed. */
export const readFailure = shape(
	{ status: integer({ min: 400, max: 599 }) },
	{ times: integer({ min: 1 }), message: text(), retryAfterSeconds: number({ min: 0 }), body: readErrorBody },
);

/** HTTP error in place of an answer. */
export type Failure = Infer<typeof readFailure>;

/** Headers and body form of a refusal. */
export interface RefusalDetails {
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: ErrorBody | undefined;
}

/** Thrown to refuse a request. */
export class Refused extends Error {
	override readonly name = "Refused";
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;

	/** Form of the body; the default form where undefined. */
	readonly body: ErrorBody | undefined;

	constructor(status: number, message: string, { headers = {}, body }: RefusalDetails = {}) {
		super(message);
		this.status = status;
		this.headers = headers;
		this.body = body;
	}
}

/** The refusal that was asked for. */
export function failureOf({ status, message, retryAfterSeconds, body }: Failure): Refused {
	const headers = { ...(retryAfterSeconds !== undefined && { "retry-after": `${retryAfterSeconds}` }) };
	return new Refused(status, message ?? `The sandbox was asked to answer ${status}`, { headers, body });
}

/** Format and body form of a refusal. */
export interface RefusalForm {
	readonly format: Format;
	readonly body: ErrorBody | undefined;
}

/** Sends a refusal. */
export function refuse(
	response: ServerResponse,
	{ status, message, headers }: Refused,
	{ format, body = "api-response" }: RefusalForm,
): void {
	const { type, text } = contentOf({ status, message }, body === "api-response" ? format : body);
	const bytes = Buffer.from(text);
	response.writeHead(status, { ...headers, "content-type": type, "content-length": bytes.length });
	response.end(bytes);
}

function contentOf({ status, message }: { status: number; message: string }, body: Format | ErrorBody) {
	const told = { code: status, type: "error", message };
	switch (body) {
		case "xml":
			return { type: "application/xml", text: toXml("ApiResponse", told) };
		case "problem":
			return {
				type: "application/problem+json",
				text: stringifyExact({ type: "about:blank", title: message, status }),
			};
		case "html":
			return {
				type: "text/html",
				text: `<html><body><h1>HTTP ERROR ${status}</h1>${escapeXml(message)}</body></html>`,
			};
		case "text":
			return { type: "text/plain; charset=utf-8", text: message };
		case "empty":
			return { type: "application/json", text: "" };
		default:
			return { type: "application/json", text: stringifyExact(told) };
	}
}

import type { IncomingMessage } from "node:http";
import { readBody } from "#sandbox/http.ts";
import { Violation } from "#sandbox/strict.ts";
import { parseExact } from "./json.ts";
import { readUploadParts, type UploadParts } from "./multipart.ts";
import { Refused } from "./refusal.ts";
import type { Input } from "./route.ts";
import { petFromXml } from "./xml-model.ts";

/** What a request brought, before its fields are read. */
export interface Body {
	/** Of JSON or XML, integers as `bigint`. */
	readonly value?: unknown;
	readonly form?: URLSearchParams;
	readonly parts?: UploadParts;
}

/** How a body is read. */
export interface BodyOptions {
	/** What the operation takes; nothing is read where that is nothing. */
	readonly takes: readonly Input[];
	readonly bytesPerSecond?: number | undefined;
}

/** The largest body that is read, in bytes: a photo of 32 MB, which is the largest that is offered, with what goes along. */
const LARGEST_BODY = 33 * 1024 * 1024;

const INPUTS: ReadonlyMap<string, Input> = new Map([
	["application/json", "json"],
	["application/xml", "xml"],
	["application/x-www-form-urlencoded", "form"],
	["multipart/form-data", "multipart"],
]);

/**
 * Reads the body of a request in one of the ways that the operation takes (contract section 4). Throws a `Violation` where
 * it is broken, 415 where it is something else, `TooLarge` beyond 33 MB.
 */
export async function readRequestBody(request: IncomingMessage, { takes, bytesPerSecond }: BodyOptions): Promise<Body> {
	if (takes.length === 0) {
		request.resume();
		return {};
	}
	const type = request.headers["content-type"];
	const input = INPUTS.get(type?.split(";")[0]?.trim().toLowerCase() ?? "");
	const isEmptyForm = type === undefined && takes.includes("form");
	if (!isEmptyForm && (input === undefined || !takes.includes(input))) {
		const accepted = [...INPUTS].filter(([, one]) => takes.includes(one)).map(([name]) => name);
		throw new Refused(415, `The header Content-Type must be ${accepted.join(" or ")}`);
	}
	const bytes = await readBody(request, LARGEST_BODY, { bytesPerSecond });
	if (isEmptyForm && bytes.length > 0) throw new Refused(415, "The header Content-Type is required");
	if (input === "multipart") {
		const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type ?? "") ?? [];
		const boundary = quoted ?? bare;
		if (boundary === undefined) throw new Violation("The header Content-Type", "must have a boundary");
		return { parts: readUploadParts(bytes, boundary) };
	}
	const text = utf8(bytes);
	if (input === "json") return { value: json(text) };
	return input === "xml" ? { value: petFromXml(text) } : { form: new URLSearchParams(text) };
}

function utf8(bytes: Buffer): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw new Violation("", "is not in UTF-8");
	}
}

function json(text: string): unknown {
	try {
		return parseExact(text);
	} catch {
		throw new Violation("", "is not JSON");
	}
}

import type { IncomingMessage } from "node:http";
import { Refused, readBody } from "#sandbox/http.ts";
import { strictJson, violation } from "#sandbox/strict.ts";
import { parseExact } from "./format.ts";
import type { Input } from "./route.ts";
import { petFromXml } from "./xml.ts";

/** Parsed body of a request. */
export interface Body {
	/** Value of JSON or XML, integers as `bigint`. */
	readonly value?: unknown;
	readonly form?: URLSearchParams;
	/** Parts of an upload (contract section 4). */
	readonly parts?: {
		readonly additionalMetadata?: string;
		readonly file?: { readonly name: string; readonly bytes: Buffer };
	};
}

/** Largest body in bytes: a photo of 32 MB with its form. */
const LARGEST_BODY = 33 * 1024 * 1024;

const INPUTS: ReadonlyMap<string, Input> = new Map([
	["application/json", "json"],
	["application/xml", "xml"],
	["application/x-www-form-urlencoded", "form"],
	["multipart/form-data", "multipart"],
]);

/** Parses a body in a format that is taken. Throws ClientError `invalid`, 415 for another format, 413 for its size. */
export async function readRequestBody(request: IncomingMessage, takes: readonly Input[]): Promise<Body> {
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
	const bytes = await readBody(request, LARGEST_BODY);
	if (isEmptyForm && bytes.length > 0) throw new Refused(415, "The header Content-Type is required");
	if (input === "multipart") return { parts: await partsOf(bytes, type ?? "") };
	const text = bytes.toString();
	if (input === "json") return { value: strictJson(text, "The body", parseExact) };
	return input === "xml" ? { value: await petFromXml(text) } : { form: new URLSearchParams(text) };
}

async function partsOf(bytes: Buffer, type: string): Promise<NonNullable<Body["parts"]>> {
	const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData().catch(() => {
		throw violation("The multipart body", "is broken");
	});
	for (const name of form.keys()) {
		if (name !== "additionalMetadata" && name !== "file") throw violation(name, "is not a known part");
	}
	const [metadata, file] = [form.get("additionalMetadata"), form.get("file")];
	if (typeof file === "string") throw violation("file", "must have a filename");
	return {
		...(typeof metadata === "string" && { additionalMetadata: metadata }),
		...(file !== null && { file: { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) } }),
	};
}

import { randomUUID } from "node:crypto";
import { invalid } from "#base/errors.ts";
import { escapeXml, ILLEGAL_IN_XML } from "#base/xml.ts";
import { OWN_HEADERS, pathPart, urlBelow } from "../http/address.ts";
import { isRecord } from "../http/json.ts";
import { type ShownRequest, shownBody } from "../http/notice.ts";
import { headerText } from "./credential.ts";
import { merged } from "./json-merge.ts";
import { type PetstoreProfile, uploadShape } from "./model.ts";
import type { AnyOperation, Parameter } from "./operation.ts";
import { holdsSecret, secretsOf, withSecretsAs } from "./secrets.ts";
import { type AnyShape, alsoTaking, checked, flagShape } from "./shape.ts";

/** Address of a pet store. */
export interface PetstoreEndpoint {
	/** `http:` or `https:`; the profile's base path is added unless it is there. */
	readonly baseUrl: string;
	readonly profile: PetstoreProfile;
}

/** Checked parameters of an operation. */
export type Checked = ReadonlyMap<string, unknown>;

/** Checks parameters (contract sections 4, 8); a pet may have `ownStatus` too. Throws `invalid` with the `field`. */
export function checkParameters(
	{ parameters }: AnyOperation,
	given: unknown,
	{ ownStatus }: { readonly ownStatus?: string | undefined } = {},
): Checked {
	if (!isRecord(given)) throw invalid("petstore", "params", "must be an object");
	const known = new Map<string, Parameter<unknown>>(Object.entries(parameters));
	for (const name of Object.keys(given)) {
		if (!known.has(name)) throw invalid("petstore", name, "is not a parameter of this operation");
	}
	const values = new Map<string, unknown>();
	for (const [name, { shape, required }] of known) {
		const value = Object.hasOwn(given, name) ? given[name] : undefined;
		if (value !== undefined && value !== null) values.set(name, checked(alsoTaking(shape, ownStatus), value, name));
		else if (required) throw invalid("petstore", name, "is missing");
	}
	return values;
}

/** HTTP request of an operation (contract section 4), without its credential. Throws ClientError `invalid`. */
export function buildPetstoreRequest(operation: AnyOperation, values: Checked, { baseUrl, profile }: PetstoreEndpoint) {
	const { method, parameters } = operation;
	const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
		pathPart("petstore", [name, String(values.get(name) ?? "")]),
	);
	const base = baseUrl.replace(/\/+$/, "");
	const { basePath } = profile;
	const url = urlBelow("petstore", base, base.endsWith(basePath) ? path : `${basePath}${path}`);
	const headers: Record<string, string> = { accept: acceptOf(operation, profile), ...OWN_HEADERS };
	const body = bodyOf(operation, values, profile);
	if (body !== null) headers["content-type"] = body.type;
	const shownHeaders = { ...headers };
	const query: string[] = [];
	const shownQuery: string[] = [];
	for (const [name, value] of values) {
		const { in: place, shape } = parameters[name] ?? {};
		const placeholder = shape?.kind === "text" && shape.secret ? `{${name}}` : undefined;
		if (place === "header") {
			headers[name.toLowerCase()] = headerText(name, String(value));
			shownHeaders[name.toLowerCase()] = placeholder ?? String(value);
		}
		for (const each of place === "query" ? [value].flat() : []) {
			const text = encodeURIComponent(String(each));
			query.push(`${encodeURIComponent(name)}=${text}`);
			shownQuery.push(`${encodeURIComponent(name)}=${placeholder ?? text}`);
		}
	}
	const shownUrl = shownQuery.length === 0 ? url.href : `${url.href}?${shownQuery.join("&")}`;
	url.search = query.join("&");
	const secrets = [...values].flatMap(([name, value]) => secretsOf(parameters[name]?.shape, value));
	// For a log: secrets are placeholders.
	const shown: ShownRequest = { url: shownUrl, headers: shownHeaders, body: body?.shown ?? null };
	return { method, url, headers, shown, secrets, ...(body === null ? {} : { body: body.content }) };
}

function acceptOf({ gives }: AnyOperation, { format }: PetstoreProfile): string {
	if (gives === "json") return "application/json";
	return format === "xml" ? "application/xml, application/json;q=0.5" : "application/json, application/xml;q=0.5";
}

function bodyOf({ takes, parameters }: AnyOperation, values: Checked, { format }: PetstoreProfile) {
	if (takes === undefined) return null;
	if (takes === "multipart") return multipartOf(values);
	if (takes === "form") {
		const form = new URLSearchParams();
		for (const [name, value] of values) if (parameters[name]?.in === "form") form.set(name, String(value));
		const content = form.toString();
		return { type: "application/x-www-form-urlencoded", content, shown: shownBody(content) };
	}
	const shape = parameters["body"]?.shape ?? flagShape;
	const value = values.get("body");
	const xml = takes === "json or xml" && format === "xml";
	const write = (each: unknown) => (xml ? writeXml(shape, each) : JSON.stringify(merged(shape, each)));
	const content = write(value);
	// Unknown fields of a user may be secrets: the log gets the known ones, with placeholders.
	const shown = holdsSecret(shape) ? write(withSecretsAs((name) => `{${name}}`, { shape, value })) : content;
	return { type: xml ? "application/xml" : "application/json", content, shown: shownBody(shown) };
}

/** XML document of a checked value (contract section 2). Throws ClientError `invalid` for text that XML cannot hold. */
export function writeXml(shape: AnyShape, value: unknown): string {
	const root = shape.kind === "record" ? shape.name : "value";
	return `<?xml version="1.0" encoding="UTF-8"?>${element(root, content(shape, value, ""))}`;
}

function content(shape: AnyShape, value: unknown, path: string): string {
	if (shape.kind === "list" && Array.isArray(value)) {
		return value
			.map((item: unknown, index) => element(shape.element, content(shape.item, item, `${path}[${index}]`)))
			.join("");
	}
	if (shape.kind === "record" && isRecord(value)) {
		return Object.entries(shape.fields)
			.filter(([name]) => value[name] !== undefined)
			.map(([name, field]) => element(name, content(field, value[name], path === "" ? name : `${path}.${name}`)))
			.join("");
	}
	const written = String(value);
	if (ILLEGAL_IN_XML.test(written)) throw invalid("petstore", path, "has a character that XML cannot carry");
	return escapeXml(written);
}

function element(name: string, inner: string): string {
	return `<${name}>${inner}</${name}>`;
}

/** Form of `uploadFile` (contract section 4). It always has a part: services refuse an empty one. */
function multipartOf(values: Checked) {
	const file = values.has("file") ? checked(uploadShape, values.get("file"), "file") : undefined;
	const boundary = `switchboard-${randomUUID()}`;
	const parts: Uint8Array[] = [];
	const add = (disposition: string, content: string | Uint8Array) => {
		const head = `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
		parts.push(Buffer.from(head), Buffer.from(content), Buffer.from("\r\n"));
	};
	if (values.has("additionalMetadata") || file === undefined) {
		add('name="additionalMetadata"', String(values.get("additionalMetadata") ?? ""));
	}
	if (file !== undefined) {
		add(`name="file"; filename="${plainName(file.name)}"\r\nContent-Type: ${file.type}`, file.bytes);
	}
	parts.push(Buffer.from(`--${boundary}--\r\n`));
	return { type: `multipart/form-data; boundary=${boundary}`, content: Buffer.concat(parts), shown: null };
}

/** ASCII file name: services disagree on how other characters are written, and some split paths. */
function plainName(name: string): string {
	const last = name.split(/[\\/]/).at(-1) ?? "";
	const plain = last
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.replace(/[^\w.-]+/g, "_")
		.slice(-100);
	return /[a-z0-9]/i.test(plain) ? plain : "file";
}

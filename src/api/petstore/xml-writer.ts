import { invalid } from "#base/errors.ts";
import { isRecord } from "../http/json.ts";
import type { AnyShape } from "./shape.ts";

/** What no XML document can hold, escaped or not. */
const ILLEGAL = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };

/**
 * A checked value as an XML document (contract section 2): the root is the model's name, lists are wrapped. Throws
 * ClientError `invalid` for text that XML cannot carry.
 */
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
	if (ILLEGAL.test(written)) throw invalid("petstore", path, "has a character that XML cannot carry");
	return written.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);
}

function element(name: string, inner: string): string {
	return `<${name}>${inner}</${name}>`;
}

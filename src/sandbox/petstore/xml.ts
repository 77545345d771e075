import type { SaxesParser } from "saxes";
import type { ClientError } from "#base/errors.ts";
import { violation } from "#sandbox/strict.ts";

/** An element: its own text is all text directly in it, put together. */
interface XmlElement {
	readonly name: string;
	readonly children: XmlElement[];
	text: string;
}

/** A character that no XML 1.0 document may have, not even as a reference. */
export const ILLEGAL_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Elements inside one another; a pet has three. */
const DEEPEST = 32;

/**
 * Reads an XML document strictly. Well-formed XML that the contract's documents never have is refused too: a document type
 * (and with it every other entity), processing instructions and attributes. Throws ClientError `invalid`.
 */
async function parseXml(document: string): Promise<XmlElement> {
	const { SaxesParser: Parser } = await import("saxes");
	const parser: SaxesParser = new Parser({});
	const top: XmlElement = { name: "", children: [], text: "" };
	const open = [top];
	const refuse = (rule: string) => () => {
		throw broken(rule);
	};
	parser.on("error", (error) => {
		throw broken(`is not well-formed: ${error.message}`);
	});
	parser.on("doctype", refuse("has a document type"));
	parser.on("processinginstruction", refuse("has a processing instruction"));
	parser.on("attribute", refuse("has an attribute"));
	parser.on("opentag", ({ name }) => {
		if (open.length > DEEPEST) throw broken(`has more than ${DEEPEST} elements inside one another`);
		const element: XmlElement = { name, children: [], text: "" };
		open.at(-1)?.children.push(element);
		open.push(element);
	});
	parser.on("closetag", () => open.pop());
	const onText = (text: string) => {
		const inside = open.at(-1);
		if (inside !== undefined) inside.text += text;
	};
	parser.on("text", onText);
	parser.on("cdata", onText);
	parser.write(document.replace(/^\u{feff}/u, "")).close();
	const [root] = top.children;
	if (root === undefined) throw broken("has no element");
	return root;
}

function broken(rule: string): ClientError {
	return violation("The XML document", rule);
}

/** Text as XML holds it. A carriage return is written as a reference, for a reader makes a line feed of a bare one. */
export function escapeXml(text: string): string {
	return text
		.replace(new RegExp(ILLEGAL_IN_XML, "gu"), "\u{fffd}")
		.replace(/[&<>\r]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[one] ?? "&#13;");
}

type XmlType =
	| "integer"
	| "string"
	| { readonly fields: Readonly<Record<string, XmlType>> }
	| { readonly item: string; readonly of: XmlType };

const NAMED: XmlType = { fields: { id: "integer", name: "string" } };

/** The only model that is taken as XML (contract section 4). */
const PET: XmlType = {
	fields: {
		id: "integer",
		category: NAMED,
		name: "string",
		photoUrls: { item: "photoUrl", of: "string" },
		tags: { item: "tag", of: NAMED },
		status: "string",
	},
};

/** The names of the elements in a wrapped list (contract section 2). */
const ITEMS: Readonly<Record<string, string>> = { photoUrls: "photoUrl", tags: "tag", pets: "Pet", List: "item" };

/**
 * Reads a pet's XML as the value that the same pet's JSON would be, with integers as `bigint`. What it holds still has to
 * be read strictly: text stays where a number belongs. Throws ClientError `invalid`.
 */
export async function petFromXml(document: string): Promise<unknown> {
	const root = await parseXml(document);
	if (root.name !== "Pet") throw violation("The root element", `must be Pet, not ${root.name}`);
	return valueIn(root, PET, root.name);
}

function valueIn(element: XmlElement, type: XmlType, path: string): unknown {
	if (typeof type === "string") {
		if (element.children.length > 0) throw violation(path, "must hold text only");
		if (type === "string") return element.text;
		const text = element.text.trim();
		return /^-?\d{1,40}$/.test(text) ? BigInt(text) : element.text;
	}
	if (element.text.trim() !== "") throw violation(path, "must hold elements only");
	if ("of" in type) {
		return element.children.map((child) => {
			if (child.name !== type.item) throw violation(path, `must hold ${type.item} only, not ${child.name}`);
			return valueIn(child, type.of, `${path}.${child.name}`);
		});
	}
	const found = new Map<string, unknown>();
	for (const child of element.children) {
		const known = Object.hasOwn(type.fields, child.name) ? type.fields[child.name] : undefined;
		if (known === undefined) throw violation(`${path}.${child.name}`, "is not a known field");
		if (found.has(child.name)) throw violation(`${path}.${child.name}`, "comes twice");
		found.set(child.name, valueIn(child, known, `${path}.${child.name}`));
	}
	return Object.fromEntries(found);
}

/** Writes any value under a root name; lists are wrapped, with the contract's names for their items. */
export function toXml(root: string, value: unknown): string {
	return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, value)}`;
}

function element(name: string, value: unknown): string {
	const content = contentOf(name, value);
	return content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;
}

function contentOf(name: string, value: unknown): string {
	if (value === null || value === undefined) return "";
	if (Array.isArray(value)) return value.map((item) => element(ITEMS[name] ?? "item", item)).join("");
	if (typeof value !== "object") return escapeXml(String(value));
	return Object.entries(value)
		.filter(([, one]) => one !== undefined)
		.map(([field, one]) => element(field, one))
		.join("");
}

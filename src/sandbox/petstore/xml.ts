import { Violation } from "#sandbox/strict.ts";

/** An element: its own text is all text directly in it, put together. */
export interface XmlElement {
	readonly name: string;
	readonly children: readonly XmlElement[];
	readonly text: string;
}

interface OpenElement extends XmlElement {
	readonly children: XmlElement[];
	text: string;
}

/** A character that no XML 1.0 document may have, not even as a reference. */
export const ILLEGAL_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Elements inside one another; a pet has three. */
const DEEPEST = 32;

const DECLARATION =
	/^<\?xml\s+version\s*=\s*(["'])1\.\d+\1(?:\s+encoding\s*=\s*(["'])utf-8\2)?(?:\s+standalone\s*=\s*(["'])(?:yes|no)\3)?\s*\?>/i;

/** A comment, a CDATA section, a tag, or text. */
const TOKEN = /<!--(?:(?!--)[\s\S])*-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z_][\w.-]*)\s*(\/?)>|([^<]+)/y;

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", apos: "'", quot: '"' };

/**
 * Reads an XML document strictly, in time that grows with its length only: elements, text, CDATA sections, comments, the
 * five named entities and character references. Anything that the contract's documents never have is refused: a document
 * type (and with it every other entity), processing instructions, attributes and names beyond ASCII. Throws a `Violation`.
 */
export function parseXml(document: string): XmlElement {
	const text = document.replace(/^\u{feff}/u, "").replace(/\r\n?/g, "\n");
	if (ILLEGAL_IN_XML.test(text)) throw broken("has a character that XML does not have");
	const top: OpenElement = { name: "", children: [], text: "" };
	const open = [top];
	for (let at = DECLARATION.exec(text)?.[0].length ?? 0; at < text.length; ) {
		TOKEN.lastIndex = at;
		const [token, cdata, slash, name = "", isEmpty, plain] = TOKEN.exec(text) ?? [];
		if (token === undefined) throw broken(`has markup that is not read here: ${text.slice(at, at + 20)}`);
		at += token.length;
		const inside = open.at(-1) ?? top;
		if (plain !== undefined) inside.text += decode(plain);
		if (cdata !== undefined && inside === top) throw broken("has a CDATA section beside its root element");
		if (cdata !== undefined) inside.text += cdata;
		if (slash === "/" && (isEmpty !== "" || inside === top || open.pop()?.name !== name)) {
			throw broken(`has </${name}> where it does not belong`);
		}
		if (slash !== "") continue;
		if (open.length > DEEPEST) throw broken(`has more than ${DEEPEST} elements inside one another`);
		const element: OpenElement = { name, children: [], text: "" };
		inside.children.push(element);
		if (isEmpty === "") open.push(element);
	}
	const [root, second] = top.children;
	if (open.length > 1) throw broken(`ends inside <${open.at(-1)?.name}>`);
	if (root === undefined) throw broken("has no element");
	if (second !== undefined) throw broken("has more than one root element");
	if (top.text.trim() !== "") throw broken("has text beside its root element");
	return root;
}

function decode(text: string): string {
	if (text.includes("]]>")) throw broken("has ]]> in its text");
	return text.replace(/&(?:#x([0-9a-f]{1,6}|)|#(\d{1,7})|(\w{1,10}))?(;?)/gi, (all, hex, decimal, name, end) => {
		const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
		const found = code <= 0x10ffff ? String.fromCodePoint(code) : ENTITIES[name];
		if (end === "" || found === undefined || ILLEGAL_IN_XML.test(found))
			throw broken(`has an unknown reference: ${all}`);
		return found;
	});
}

function broken(rule: string): Violation {
	return new Violation("The XML document", rule);
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
 * be read strictly: text stays where a number belongs. Throws a `Violation`.
 */
export function petFromXml(document: string): unknown {
	const root = parseXml(document);
	if (root.name !== "Pet") throw new Violation("The root element", `must be Pet, not ${root.name}`);
	return valueIn(root, PET, root.name);
}

function valueIn(element: XmlElement, type: XmlType, path: string): unknown {
	if (typeof type === "string") {
		if (element.children.length > 0) throw new Violation(path, "must hold text only");
		if (type === "string") return element.text;
		const text = element.text.trim();
		return /^-?\d{1,40}$/.test(text) ? BigInt(text) : element.text;
	}
	if (element.text.trim() !== "") throw new Violation(path, "must hold elements only");
	if ("of" in type) {
		return element.children.map((child) => {
			if (child.name !== type.item) throw new Violation(path, `must hold ${type.item} only, not ${child.name}`);
			return valueIn(child, type.of, `${path}.${child.name}`);
		});
	}
	const found = new Map<string, unknown>();
	for (const child of element.children) {
		const known = Object.hasOwn(type.fields, child.name) ? type.fields[child.name] : undefined;
		if (known === undefined) throw new Violation(`${path}.${child.name}`, "is not a known field");
		if (found.has(child.name)) throw new Violation(`${path}.${child.name}`, "comes twice");
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

import { escapeXml, ILLEGAL_IN_XML, readXml, type XmlElement } from "#base/xml.ts";
import { violation } from "#sandbox/strict.ts";
import { petWith, SALE_STATUSES } from "./model.ts";

/** Element names of list items (contract section 2). */
const ITEMS: Readonly<Record<string, string>> = { photoUrls: "photoUrl", tags: "tag", pets: "Pet" };

/** Parses the XML of a pet into the value of its JSON, integers as `bigint`. Fields still need validation. */
export async function petFromXml(document: string): Promise<unknown> {
	const root = await readXml(document, (rule) => violation("The XML document", rule));
	if (root.name !== "Pet") throw violation("The root element", `must be Pet, not ${root.name}`);
	return valueIn(root, petWith(SALE_STATUSES).json, root.name);
}

interface Type {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Type>>;
	readonly items?: Type;
}

function valueIn(element: XmlElement, { type, properties, items }: Type, path: string): unknown {
	const { name, text, children } = element;
	const inside = (child: XmlElement, of: Type) => valueIn(child, of, `${path}.${child.name}`);
	if (items === undefined && properties === undefined) {
		if (children.length > 0) throw violation(path, "must hold text only");
		return type === "integer" && /^-?\d{1,40}$/.test(text.trim()) ? BigInt(text) : text;
	}
	if (text.trim() !== "") throw violation(path, "must hold elements only");
	if (items !== undefined) {
		const item = ITEMS[name];
		return children.map((child) => {
			if (child.name !== item) throw violation(path, `must hold ${item} only, not ${child.name}`);
			return inside(child, items);
		});
	}
	const found = new Map<string, unknown>();
	for (const child of children) {
		const known = new Map(Object.entries(properties ?? {})).get(child.name);
		if (known === undefined) throw violation(`${path}.${child.name}`, "is not a known field");
		if (found.has(child.name)) throw violation(`${path}.${child.name}`, "comes twice");
		found.set(child.name, inside(child, known));
	}
	return Object.fromEntries(found);
}

/** Serializes a value under a root name; lists are wrapped. */
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
	if (typeof value !== "object") return escapeXml(String(value).replace(new RegExp(ILLEGAL_IN_XML, "gu"), "\u{fffd}"));
	return Object.entries(value)
		.filter(([, one]) => one !== undefined)
		.map(([field, one]) => element(field, one))
		.join("");
}

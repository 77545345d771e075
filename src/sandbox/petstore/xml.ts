import { escapeXml, ILLEGAL_IN_XML, readXml, type XmlElement } from "#base/xml.ts";
import { violation } from "#sandbox/strict.ts";

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
const ITEMS: Readonly<Record<string, string>> = { photoUrls: "photoUrl", tags: "tag", pets: "Pet" };

/**
 * Reads a pet's XML as the value that the same pet's JSON would be, with integers as `bigint`. What it holds still has to
 * be read strictly: text stays where a number belongs. Throws ClientError `invalid`.
 */
export async function petFromXml(document: string): Promise<unknown> {
	const refuse = (rule: string) => violation("The XML document", rule);
	const root = await readXml(document, refuse);
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
	if (typeof value !== "object") return escapeXml(String(value).replace(new RegExp(ILLEGAL_IN_XML, "gu"), "\u{fffd}"));
	return Object.entries(value)
		.filter(([, one]) => one !== undefined)
		.map(([field, one]) => element(field, one))
		.join("");
}

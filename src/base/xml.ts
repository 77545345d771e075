import type { SaxesParser } from "saxes";

/** Element of an XML document. */
export interface XmlElement {
	/** Without the prefix of its namespace. */
	readonly name: string;
	/** Text directly inside, entities resolved. */
	text: string;
	readonly children: XmlElement[];
	/** True if it has no value (`xsi:nil`). */
	readonly nil: boolean;
}

/** Limits of a document: characters, nesting, elements and attributes. */
const LIMITS = { characters: 16 * 1024 * 1024, depth: 32, elements: 500_000, attributes: 10_000 };

/** Parses XML. Throws what `refuse` makes of a broken rule; document types are refused for their entities. */
export async function readXml(document: string, refuse: (rule: string, cause?: unknown) => Error): Promise<XmlElement> {
	if (document.length > LIMITS.characters) throw refuse("is too long");
	if (!document.isWellFormed()) throw refuse("has half a character");
	const { SaxesParser: Parser } = await import("saxes");
	const parser: SaxesParser = new Parser({});
	const top: XmlElement = { name: "", text: "", children: [], nil: false };
	const open = [top];
	let elements = 0;
	let attributes = 0;
	let nextIsNil = false;
	parser.on("error", (error) => {
		throw refuse("is not well-formed", error);
	});
	parser.on("doctype", () => {
		throw refuse("has a document type, which is not read");
	});
	parser.on("attribute", ({ name, value }) => {
		attributes += 1;
		if (attributes > LIMITS.attributes) throw refuse("has too many attributes");
		if (/(?:^|:)nil$/.test(name) && /^\s*(?:true|1)\s*$/.test(value)) nextIsNil = true;
	});
	parser.on("opentag", ({ name }) => {
		elements += 1;
		if (elements > LIMITS.elements) throw refuse("has too many elements");
		if (open.length > LIMITS.depth) throw refuse("is nested too deeply");
		const local = name.slice(name.indexOf(":") + 1);
		const element: XmlElement = { name: local, text: "", children: [], nil: nextIsNil };
		nextIsNil = false;
		open.at(-1)?.children.push(element);
		open.push(element);
	});
	const onText = (part: string) => {
		const inside = open.at(-1);
		if (inside !== undefined) inside.text += part;
	};
	parser.on("text", onText);
	parser.on("cdata", onText);
	parser.on("closetag", () => open.pop());
	parser.write(document.startsWith("\uFEFF") ? document.slice(1) : document).close();
	const [root] = top.children;
	if (root === undefined) throw refuse("is empty");
	return root;
}

/** Character that XML 1.0 cannot hold, escaped or not. */
export const ILLEGAL_IN_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };

/** Escapes text for XML, a carriage return too: parsers turn a bare one into a line feed. */
export function escapeXml(text: string): string {
	return text.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);
}

import type { SaxesParser } from "saxes";
import { ClientError } from "#base/errors.ts";
import type { AnyShape } from "./shape.ts";

/** An element of a document. */
export interface XmlElement {
	/** Without the prefix of its namespace. */
	readonly name: string;
	/** All text directly inside, entities resolved. */
	text: string;
	readonly children: XmlElement[];
	/** True if it has no value (`xsi:nil`). */
	nil: boolean;
}

/** Limits of a document: characters, nesting, elements and attributes. */
const LIMITS = { characters: 16 * 1024 * 1024, depth: 32, elements: 500_000, attributes: 10_000 };

/**
 * Reads a document. Rejects with ClientError `malformed` for what is no well-formed XML, for a document type (whose
 * entities could grow without end or name files), and for what is beyond any reply of this service.
 */
export async function readXml(text: string): Promise<XmlElement> {
	if (text.length > LIMITS.characters) throw notXml("is too long");
	if (!text.isWellFormed()) throw notXml("has half a character");
	const { SaxesParser: Parser } = await import("saxes");
	const parser: SaxesParser = new Parser({});
	const open: XmlElement[] = [];
	let root: XmlElement | undefined;
	let elements = 0;
	let attributes = 0;
	parser.on("error", (error) => {
		throw notXml("is not well-formed", error);
	});
	parser.on("doctype", () => {
		throw notXml("has a document type, which is not read");
	});
	parser.on("attribute", ({ name, value }) => {
		attributes += 1;
		if (attributes > LIMITS.attributes) throw notXml("has too many attributes");
		if (/(?:^|:)nil$/.test(name) && /^\s*(?:true|1)\s*$/.test(value)) nextIsNil = true;
	});
	let nextIsNil = false;
	parser.on("opentag", ({ name }) => {
		elements += 1;
		if (elements > LIMITS.elements) throw notXml("has too many elements");
		if (open.length >= LIMITS.depth) throw notXml("is nested too deeply");
		const element: XmlElement = { name: name.slice(name.indexOf(":") + 1), text: "", children: [], nil: nextIsNil };
		nextIsNil = false;
		open.at(-1)?.children.push(element);
		root ??= element;
		open.push(element);
	});
	const onText = (part: string) => {
		const element = open.at(-1);
		if (element !== undefined) element.text += part;
	};
	parser.on("text", onText);
	parser.on("cdata", onText);
	parser.on("closetag", () => open.pop());
	parser.write(text.startsWith("\uFEFF") ? text.slice(1) : text).close();
	if (root === undefined) throw notXml("is empty");
	return root;
}

/**
 * The value of a document in the form that the same value has in JSON. What is a list comes from the shape: one, many
 * and no items look alike in XML. Names of roots and of items may be any.
 */
export function valueOfXml(shape: AnyShape, element: XmlElement): unknown {
	if (element.nil) return undefined;
	switch (shape.kind) {
		case "list":
			if (isWords(element)) return element.text;
			// Some services write a list of one as that one.
			if (isItem(shape.item, element)) return [valueOfXml(shape.item, element)];
			return element.children.map((child) => valueOfXml(shape.item, child));
		case "record": {
			if (isWords(element)) return element.text;
			return Object.fromEntries(
				Object.entries(Object.groupBy(element.children, ({ name }) => name)).flatMap(([name, all = []]) => {
					const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
					const value = field === undefined ? all.filter(saysSomething) : fieldOfXml(field, all);
					return value === undefined ? [] : [[name, value]];
				}),
			);
		}
		case "counts":
			if (isWords(element)) return element.text;
			return Object.fromEntries(element.children.map((child) => [child.name, child.text]));
		default:
			return element.text;
	}
}

/** A field that may be there several times: a list without a wrapper is. */
function fieldOfXml(shape: AnyShape, all: readonly XmlElement[]): unknown {
	const [first] = all;
	if (first === undefined) return undefined;
	if (shape.kind !== "list") return valueOfXml(shape, first);
	return all.flatMap((element) => {
		const bare = element.children.length === 0 ? isWords(element) : isItem(shape.item, element);
		return bare ? [valueOfXml(shape.item, element)] : element.children.map((child) => valueOfXml(shape.item, child));
	});
}

/** True for an element with text in place of elements. */
function isWords({ children, text }: XmlElement): boolean {
	return children.length === 0 && text.trim() !== "";
}

function saysSomething(element: XmlElement): boolean {
	return element.children.length > 0 || isWords(element);
}

/** True for an element in the place of a list that is an item of it. */
function isItem(item: AnyShape, { children }: XmlElement): boolean {
	return (
		item.kind === "record" &&
		children.some(({ name, children: [inner] }) => Object.hasOwn(item.fields, name) && inner === undefined)
	);
}

function notXml(rule: string, cause?: unknown): ClientError {
	const facts = cause === undefined ? {} : { cause };
	return new ClientError("petstore", "malformed", `The reply's XML ${rule}.`, facts);
}

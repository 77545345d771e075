import { ClientError } from "#base/errors.ts";
import { readXml, type XmlElement } from "#base/xml.ts";
import type { AnyShape } from "./shape.ts";

/** Parses the XML of a reply. Rejects with ClientError `malformed`. */
export function readReplyXml(text: string): Promise<XmlElement> {
	return readXml(
		text,
		(rule, cause) => new ClientError("petstore", "malformed", `The reply's XML ${rule}.`, { cause }),
	);
}

/** Value of an XML document in its JSON form; the shape tells lists, since one item and many look alike in XML. */
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
					const value =
						field === undefined
							? all.filter(({ children, text }) => children.length > 0 || text.trim() !== "")
							: fieldOfXml(field, all);
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

/** Field that may occur several times, as a list without a wrapper does. */
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

/** True if an element in place of a list is an item of it. */
function isItem(item: AnyShape, { children }: XmlElement): boolean {
	return (
		item.kind === "record" &&
		children.some((child) => Object.hasOwn(item.fields, child.name) && child.children.length === 0)
	);
}

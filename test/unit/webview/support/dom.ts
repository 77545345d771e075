import { GlobalWindow } from "happy-dom";

/**
 * Gives the process a document to render into. Import it before any file of the panel. It answers with no layout: what
 * depends on sizes is tested in a browser.
 */
const window = new GlobalWindow();
const names = [
	"window",
	"document",
	"Node",
	"Text",
	"Element",
	"HTMLElement",
	"HTMLTableElement",
	"Event",
	"KeyboardEvent",
	"MouseEvent",
	"MessageEvent",
	"ResizeObserver",
	"requestAnimationFrame",
] as const;
for (const name of names) {
	const value: unknown = name === "window" ? window : window[name];
	Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** The document as a string that two equal documents share, however their text nodes were cut. */
export function shape(node: Node): string {
	const parts: string[] = [];
	write(node, parts);
	return parts.join("");
}

function write(node: Node, parts: string[]): void {
	if (node instanceof Text) {
		parts.push(node.data.replaceAll("<", "&lt;"));
		return;
	}
	const element = node instanceof HTMLElement ? node : undefined;
	const transparent = element === undefined || element.matches(".section, .markdown, .run");
	if (element?.matches(".code") === true) {
		parts.push(`<code-block ${element.dataset["language"]}>${element.querySelector("code")?.textContent}</code-block>`);
		return;
	}
	if (!transparent && element !== undefined) parts.push(`<${describe(element)}>`);
	for (const child of node.childNodes) write(child, parts);
	if (!transparent && element !== undefined) parts.push(`</${element.localName}>`);
}

/** A list without paragraphs of its own is neither tight nor loose, so there the class says nothing. */
function describe(element: HTMLElement): string {
	const list = element.localName === "ul" || element.localName === "ol";
	const spaced = !list || element.querySelector(":scope > li > p") !== null;
	const attributes = [...element.attributes]
		.filter(({ name }) => spaced || name !== "class")
		.map(({ name, value }) => `${name}="${value}"`)
		.sort();
	return [element.localName, ...attributes].join(" ");
}

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
	"HTMLButtonElement",
	"HTMLInputElement",
	"HTMLTextAreaElement",
	"Event",
	"KeyboardEvent",
	"MouseEvent",
	"MutationObserver",
	"MessageEvent",
	"NodeFilter",
	"ResizeObserver",
	"requestAnimationFrame",
] as const;
for (const name of names) {
	const value: unknown = name === "window" ? window : window[name];
	Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** What the document of the tests lacks. `near` plays the part of the layout for those that watch what is in view. */
class Watcher {
	/** Those that watch something. */
	static readonly all = new Set<Watcher>();
	readonly watched = new Set<Element>();
	readonly #notice: IntersectionObserverCallback;

	constructor(notice: IntersectionObserverCallback) {
		this.#notice = notice;
	}

	observe(element: Element): void {
		this.watched.add(element);
		Watcher.all.add(this);
	}

	unobserve(element: Element): void {
		this.watched.delete(element);
		if (this.watched.size === 0) Watcher.all.delete(this);
	}

	disconnect(): void {
		this.watched.clear();
		Watcher.all.delete(this);
	}

	tell(targets: readonly Element[], isIntersecting: boolean): void {
		const box = { top: 0, bottom: 0 };
		const entries = targets.map((target) => ({ target, isIntersecting, boundingClientRect: box, rootBounds: box }));
		Reflect.apply(this.#notice, undefined, [entries, this]);
	}
}

/** Says that elements have come near the view, or have left it. */
export function near(elements: Iterable<Element>, isIntersecting = true): void {
	for (const watcher of Watcher.all) {
		const targets = [...elements].filter((element) => watcher.watched.has(element));
		if (targets.length > 0) watcher.tell(targets, isIntersecting);
	}
}

/** Popovers, of which the document of the tests has none: a click on the button opens one. */
document.addEventListener("click", ({ target }) => {
	const menu = target instanceof Element ? target.closest("button")?.popoverTargetElement : undefined;
	menu?.dispatchEvent(Object.assign(new Event("beforetoggle"), { newState: "open" }));
});
HTMLElement.prototype.hidePopover = () => undefined;

let page = new AbortController();
for (const target of [globalThis.window, document]) {
	const listen = target.addEventListener.bind(target);
	target.addEventListener = (
		type: string,
		listener: EventListenerOrEventListenerObject,
		options?: boolean | AddEventListenerOptions,
	) => {
		const given = typeof options === "boolean" ? { capture: options } : options;
		listen(type, listener, { ...given, signal: page.signal });
	};
}

/** The page before is gone, as when the editor closes it: nothing of it is told of anything, or kept in memory. */
export function newPage(): void {
	page.abort();
	page = new AbortController();
	for (const watcher of Watcher.all) watcher.disconnect();
	document.body.replaceChildren();
}

class FixedRange {
	constructor(init: StaticRangeInit) {
		Object.assign(this, init);
	}
}

class MarkedRanges extends Set<AbstractRange> {
	constructor(...ranges: AbstractRange[]) {
		super(ranges);
	}
}

const lacking = {
	IntersectionObserver: Watcher,
	StaticRange: FixedRange,
	CSS: { highlights: new Map() },
	Highlight: MarkedRanges,
};
for (const [name, value] of Object.entries(lacking)) {
	Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** The document as a string that two equal documents share, however their text nodes were cut. */
export function shape(node: Node): string {
	const parts: string[] = [];
	write(node, parts);
	return parts.join("");
}

/** Elements by their first class, which a selector takes long to ask for here, that only hold what they hold. */
const TRANSPARENT: ReadonlySet<string> = new Set(["section", "part", "markdown"]);

function write(node: Node, parts: string[]): void {
	if (node instanceof Text) {
		parts.push(node.data.replaceAll("<", "&lt;"));
		return;
	}
	const element = node instanceof HTMLElement ? node : undefined;
	const kind = element?.className.split(" ")[0] ?? "";
	const transparent = element === undefined || TRANSPARENT.has(kind);
	if (element !== undefined && kind === "code") {
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
		.filter(({ name, value }) => name !== "class" || (spaced && value !== ""))
		.map(({ name, value }) => `${name}="${value}"`)
		.sort();
	return [element.localName, ...attributes].join(" ");
}

import type { IconName } from "./icons.ts";

/** Content that {@link el} sets on an element: attributes by name, and its text or its children. */
interface ElementContent {
	readonly class?: string;
	readonly text?: string;
	readonly attributes?: Readonly<Record<string, string>>;
	readonly children?: readonly Node[];
	readonly click?: ((event: MouseEvent) => void) | undefined;
}

/** Makes an element from parts. Text only ever becomes text nodes: the page's policy forbids markup from strings. */
export function el<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	parts: ElementContent = {},
): HTMLElementTagNameMap[K] {
	const element: HTMLElementTagNameMap[K] & HTMLElement = document.createElement(tag);
	if (element instanceof HTMLButtonElement) element.type = "button";
	if (parts.class !== undefined) element.className = parts.class;
	if (parts.attributes !== undefined) {
		for (const [name, value] of Object.entries(parts.attributes)) element.setAttribute(name, value);
	}
	if (parts.text !== undefined) element.textContent = parts.text;
	if (parts.children !== undefined) element.append(...parts.children);
	if (parts.click !== undefined) element.addEventListener("click", parts.click);
	return element;
}

/** True for a key that an input method uses itself; 229 is what engines report for keys it has taken. */
export function isTaken(event: KeyboardEvent): boolean {
	return event.isComposing || event.keyCode === 229;
}

/** A codicon; hidden from assistive technology, so whatever holds it needs a name of its own. */
export function icon(name: IconName): HTMLElement {
	return el("span", { class: `codicon codicon-${name}`, attributes: { "aria-hidden": "true" } });
}

/** A button that shows only a codicon; `label` is its accessible name and its tooltip. */
export function iconButton(name: IconName, label: string, click?: (event: MouseEvent) => void): HTMLButtonElement {
	const attributes = { "aria-label": label, title: label };
	return el("button", { class: "icon-button", attributes, children: [icon(name)], click });
}

/** Gives an element a name for the pointer and for assistive technology. */
export function setName(element: HTMLElement, words: string): void {
	element.title = words;
	element.setAttribute("aria-label", words);
}

/** A button with words; `kind` picks the theme's primary or secondary button colors. */
export function textButton(
	label: string,
	kind: "primary" | "secondary",
	click: (event: MouseEvent) => void,
): HTMLButtonElement {
	return el("button", { class: `text-button ${kind}`, text: label, click });
}

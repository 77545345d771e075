import type { IconName } from "./icons.ts";

interface ElementContent {
	readonly class?: string;
	readonly text?: string;
	readonly attributes?: Readonly<Record<string, string>>;
	readonly children?: readonly Node[];
	readonly click?: ((event: MouseEvent) => void) | undefined;
}

/** Creates an element. Text becomes text nodes: the page's policy forbids markup from strings. */
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

/** Replaces the nodes in an element by those at their places that differ; what is selected in the others stays so. */
export function replaceChanged(element: HTMLElement, fresh: readonly Node[]): void {
	let old = element.firstChild;
	for (const node of fresh) {
		const next = old?.nextSibling ?? null;
		if (old === null) element.append(node);
		else if (old instanceof Text && node instanceof Text && node.data.startsWith(old.data)) {
			if (node.data !== old.data) old.appendData(node.data.slice(old.data.length));
		} else if (!old.isEqualNode(node)) old.replaceWith(node);
		old = next;
	}
	while (element.childNodes.length > fresh.length) element.lastChild?.remove();
}

/** True for a key that an input method uses itself; engines report such keys as 229. */
export function isTaken(event: KeyboardEvent): boolean {
	return event.isComposing || event.keyCode === 229;
}

/** Creates a codicon, hidden from assistive technology: its parent needs a name. */
export function icon(name: IconName): HTMLElement {
	return el("span", { class: `codicon codicon-${name}`, attributes: { "aria-hidden": "true" } });
}

/** Creates a button with only a codicon; `label` is its accessible name and its tooltip. */
export function iconButton(name: IconName, label: string, click?: (event: MouseEvent) => void): HTMLButtonElement {
	const attributes = { "aria-label": label, title: label };
	return el("button", { class: "icon-button", attributes, children: [icon(name)], click });
}

/** Creates a button with small words and icons. */
export function wordButton(id: string, children: readonly Node[], click: () => void): HTMLButtonElement {
	return el("button", { class: "word-button small-print", attributes: { id }, children, click });
}

/** Sets the tooltip and the accessible name of an element. */
export function setName(element: HTMLElement, words: string): void {
	element.title = words;
	element.setAttribute("aria-label", words);
}

/** Creates a button with words, in the theme's primary or secondary colors. */
export function textButton(label: string, kind: "primary" | "secondary", click: (event: MouseEvent) => void) {
	return el("button", { class: `text-button ${kind}`, text: label, click });
}

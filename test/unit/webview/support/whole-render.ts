import { el } from "#webview/dom.ts";
import { InlineBuilder } from "#webview/markdown/inline.ts";
import { elementsOf } from "#webview/markdown/nodes.ts";
import { md } from "#webview/markdown/parser.ts";

/** The canonical render: the whole text through the grammar at once, its tokens as elements. */
export function renderWhole(text: string): HTMLElement {
	const root = el("div", { class: "markdown" });
	let top: HTMLElement = root;
	for (const token of md.parse(text, {})) {
		if (token.type === "inline") new InlineBuilder(top).build(token.children ?? []);
		else if (token.nesting === -1) {
			const parent = top.parentElement ?? root;
			top = token.type === "table_close" ? (parent.parentElement ?? root) : parent;
		} else if (token.type !== "reference_definition") {
			const { element, inner } = elementsOf(token);
			top.append(element);
			if (token.nesting === 1) top = inner;
			else inner.append(token.content);
			if (token.hidden) top.parentElement?.parentElement?.classList.add("tight");
		}
	}
	return root;
}

import type { Token } from "markdown-it";
import { el } from "../dom.ts";
import { type Align, codeFrame, tableCell } from "./elements.ts";
import { highlight } from "./highlight.ts";
import { buildInline } from "./inline.ts";
import { md } from "./parser.ts";

/** A text block of a reply as markdown. */
export class MarkdownView {
	readonly element = el("div", { class: "markdown" });
	#text = "";

	append(text: string): void {
		this.#text += text;
		this.element.replaceChildren(renderWhole(this.#text));
	}

	end(): void {}
}

/** Renders a whole text. */
export function renderWhole(text: string): DocumentFragment {
	const root = document.createDocumentFragment();
	const stack: Node[] = [root];
	const top = () => stack.at(-1) ?? root;
	const open = (element: HTMLElement) => {
		top().appendChild(element);
		stack.push(element);
	};
	for (const token of md.parse(text, {})) {
		if (token.type === "inline") buildInline(token.children ?? [], top());
		else if (token.type === "fence" || token.type === "code_block") {
			const frame = codeFrame(token.type === "fence" ? token.info : "");
			frame.code.append(highlight(token.content, frame.element.dataset["language"] ?? "") ?? token.content);
			top().appendChild(frame.element);
		} else if (token.type === "hr") top().appendChild(el("hr"));
		else if (token.nesting === 1) open(blockElement(token));
		else if (token.nesting === -1) stack.pop();
		if (token.hidden && token.type === "paragraph_open") top().parentElement?.parentElement?.classList.add("tight");
	}
	return root;
}

function blockElement(token: Token): HTMLElement {
	switch (token.type) {
		case "heading_open":
			return document.createElement(token.tag);
		case "th_open":
		case "td_open": {
			const align = /text-align:(left|center|right)/.exec(String(token.attrGet("style") ?? ""))?.[1] ?? "";
			return tableCell(token.type === "th_open" ? "th" : "td", align as Align);
		}
		case "ordered_list_open": {
			const list = el("ol");
			const start = token.attrGet("start");
			if (start !== null) list.setAttribute("start", String(start));
			return list;
		}
		default:
			return document.createElement(token.tag);
	}
}

import type { Token } from "markdown-it";
import { el } from "#webview/dom.ts";
import { type Align, codeFrame, tableCell, tableFrame } from "#webview/markdown/elements.ts";
import { buildInline } from "#webview/markdown/inline.ts";
import { md } from "#webview/markdown/parser.ts";

/** The canonical render: the whole text through markdown-it's own block grammar, its tokens as elements. */
export function renderWhole(text: string): HTMLElement {
	const root = el("div", { class: "markdown" });
	let top: HTMLElement = root;
	for (const token of md.parse(text, {})) {
		if (token.type === "inline") buildInline(token.children ?? [], top);
		else if (token.type === "fence" || token.type === "code_block") {
			const frame = codeFrame(token.type === "fence" ? md.utils.unescapeAll(token.info) : "");
			frame.code.append(token.content);
			top.append(frame.element);
		} else if (token.type === "hr") top.append(el("hr"));
		else if (token.nesting === 1) {
			const element = open(token);
			const outer = element instanceof HTMLTableElement ? tableFrame(element) : element;
			top.append(outer);
			top = element;
			if (token.hidden) top.parentElement?.parentElement?.classList.add("tight");
		} else if (token.nesting === -1) {
			const parent = top.parentElement ?? root;
			top = token.type === "table_close" ? (parent.parentElement ?? root) : parent;
		}
	}
	return root;
}

function open(token: Token): HTMLElement {
	if (token.type === "th_open" || token.type === "td_open") {
		const align = ["left", "center", "right"].find((one) => token.attrGet("style") === `text-align:${one}`);
		return tableCell(token.type === "th_open" ? "th" : "td", isAlign(align) ? align : "");
	}
	const element = document.createElement(token.tag);
	if (token.type === "heading_open") element.className = "heading";
	const start = token.attrGet("start");
	if (start !== null) element.setAttribute("start", String(start));
	return element;
}

function isAlign(text: string | undefined): text is Align {
	return text === "left" || text === "center" || text === "right";
}

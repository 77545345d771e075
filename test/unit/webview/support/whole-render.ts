import type { Token } from "markdown-it";
import { el } from "#webview/dom.ts";
import { type Align, codeFrame, tableCell } from "#webview/markdown/elements.ts";
import { buildInline } from "#webview/markdown/inline.ts";
import { md } from "#webview/markdown/parser.ts";

/** The canonical render: the whole text through markdown-it's own block grammar, its tokens as elements. */
export function renderWhole(text: string): HTMLElement {
	const root = el("div", { class: "markdown" });
	const stack: HTMLElement[] = [root];
	const top = () => stack.at(-1) ?? root;
	for (const token of md.parse(text, {})) {
		if (token.type === "inline") buildInline(token.children ?? [], top());
		else if (token.type === "fence" || token.type === "code_block") {
			const frame = codeFrame(token.type === "fence" ? md.utils.unescapeAll(token.info) : "");
			frame.code.append(token.content);
			top().append(frame.element);
		} else if (token.type === "hr") top().append(el("hr"));
		else if (token.nesting === 1) {
			const element = open(token);
			top().append(element);
			if (token.type === "table_open") element.replaceWith(el("div", { class: "table", children: [element.cloneNode()] }));
			stack.push(token.type === "table_open" ? (top().lastElementChild?.firstElementChild as HTMLElement) : element);
		} else if (token.nesting === -1) stack.pop();
	}
	return root;
}

function open(token: Token): HTMLElement {
	if (token.type === "th_open" || token.type === "td_open") {
		const align = /left|center|right/.exec(String(token.attrGet("style") ?? ""))?.[0] ?? "";
		return tableCell(token.type === "th_open" ? "th" : "td", align as Align);
	}
	const element = document.createElement(token.tag);
	const start = token.attrGet("start");
	if (start !== null) element.setAttribute("start", String(start));
	if (token.hidden) element.dataset["hidden"] = "";
	return element;
}

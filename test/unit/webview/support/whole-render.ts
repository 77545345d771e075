import type { StateBlock, Token } from "markdown-it";
import { el } from "#webview/dom.ts";
import { type Align, codeFrame, tableCell, tableFrame } from "#webview/markdown/elements.ts";
import { buildInline } from "#webview/markdown/inline.ts";
import { md } from "#webview/markdown/parser.ts";

md.block.ruler.before("fence", "math_block", mathBlock, { alt: ["paragraph", "reference", "blockquote", "list"] });

/** Formulas on lines of their own in markdown-it's block grammar: all lines up to the closing mark, none of them blank. */
function mathBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
	const indent = state.sCount[start] ?? 0;
	const least = indent < state.blkIndent ? 0 : state.blkIndent;
	if (indent - state.blkIndent >= 4) return false;
	let source = "";
	for (let at = start; at < end && !state.isEmpty(at) && (state.sCount[at] ?? 0) >= least; at += 1) {
		source += state.getLines(at, at + 1, indent, true);
		const whole = /^(?:\$\$(?!\$)((?:[^\\$]|\\[\s\S]|\$(?!\$))*)\$\$|\\\[((?:[^\\]|\\[^[\]])*)\\\])([^\n]*)\n?$/.exec(
			source,
		);
		if (whole === null) continue;
		const [, dollars, brackets, behind = ""] = whole;
		if (!/[\p{L}\p{N}]/u.test(dollars ?? brackets ?? "") || !/^[.,;:]?[ \t]*$/.test(behind)) return false;
		if (silent) return true;
		state.line = at + 1;
		const token = state.push("fence", "code", 0);
		token.info = "latex";
		token.content = source.endsWith("\n") ? source : `${source}\n`;
		return true;
	}
	return false;
}

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
	const start = token.attrGet("start");
	if (start !== null) element.setAttribute("start", String(start));
	return element;
}

function isAlign(text: string | undefined): text is Align {
	return text === "left" || text === "center" || text === "right";
}

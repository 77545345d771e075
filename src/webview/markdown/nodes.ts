import type { Token } from "markdown-it";
import { el, iconButton } from "../dom.ts";
import type { IconName } from "../icons.ts";
import { PlainText } from "../plain-text.ts";
import { CODE_ACTION, type CODE_ACTIONS } from "../text-clicks.ts";
import { highlightLater } from "./highlight-later.ts";
import { type Definitions, InlineStream } from "./inline-stream.ts";
import { DEFINITION, md } from "./parser.ts";
import { Sections } from "./sections.ts";

/** Block of a text: its opening token, and the blocks or the text inside. */
export interface MarkdownBlock {
	readonly token: Token;
	readonly blocks: MarkdownBlock[];
	text: string;
}

/** Builds the tree of blocks from tokens. */
export function blocksOf(tokens: readonly Token[]): MarkdownBlock[] {
	const top: MarkdownBlock[] = [];
	const open: MarkdownBlock[] = [];
	for (const token of tokens) {
		const parent = open.at(-1);
		if (token.nesting === -1) open.pop();
		else if (token.type === "inline" && parent !== undefined) parent.text = token.content;
		else {
			const block = { token, blocks: [], text: token.content };
			(parent?.blocks ?? top).push(block);
			if (token.nesting === 1) open.push(block);
		}
	}
	return top;
}

/** Block in the document that is updated while its text grows. */
export class BlockNode {
	readonly element: HTMLElement;
	readonly #kind: string;
	readonly #definitions: Definitions;
	readonly #inner: HTMLElement;
	readonly #children: BlockNode[] = [];
	/** Groups of its items or rows, once they are many. */
	#sections: Sections | undefined;
	readonly #inline: InlineStream | undefined;
	readonly #code: CodeText | undefined;
	/** True for code in a fence that is not closed yet. */
	isOpenFence = false;
	/** True for a list with blank lines between its items. */
	#isLoose = false;
	/** Number of items in the source that stand for released ones. */
	#standIns = 0;
	#released = 0;

	constructor(block: MarkdownBlock, definitions: Definitions) {
		const { type } = block.token;
		const { element, inner } = elementsOf(block.token);
		this.element = element;
		this.#kind = kindOf(block.token);
		this.#definitions = definitions;
		this.#inner = inner;
		if (TEXTS.has(type)) this.#inline = new InlineStream(inner, definitions);
		else if (CODES.has(type)) this.#code = new CodeText(inner, element.dataset["language"] ?? "");
		this.update(block);
	}

	get last(): BlockNode {
		const last = this.#children.findLast((child) => child.#inline?.source !== "") ?? this.#children.at(-1);
		return last?.last ?? this;
	}

	/** Element in which its text ends, if any, for the caret. */
	get tip(): HTMLElement | undefined {
		return this.#inline?.element ?? this.#code?.tip;
	}

	/** True if it can be updated to this block. */
	is({ token }: MarkdownBlock): boolean {
		return this.#kind === kindOf(token);
	}

	update({ token, blocks, text }: MarkdownBlock): void {
		const [from = 0, to = 0] = token.map ?? [];
		this.isOpenFence = token.type === "fence" && to - from - 1 === lineCount(text);
		this.#inline?.update(text);
		this.#code?.update(text);
		if (this.#inline !== undefined || this.#code !== undefined) return;
		patch(this.#children, blocks.slice(this.#standIns), {
			definitions: this.#definitions,
			add: (element) => this.#add(element),
		});
		if (!LISTS.has(token.type)) return;
		this.#isLoose ||= blocks.some((item) => item.blocks.some(({ token }) => token.tag === "p" && !token.hidden));
		if (this.#isLoose) this.element.removeAttribute("class");
		else if (this.element.className === "") this.element.className = "tight";
	}

	/** Appends text that cannot end a paragraph or change its kind; false if it is no paragraph. */
	extend(text: string): boolean {
		if (this.#kind !== "paragraph_open" || this.#inline === undefined) return false;
		this.#inline.append(text);
		return true;
	}

	/** Finishes all items or rows but the last `kept`. Later blocks omit them, and those of a list begin with a stand-in. */
	release(kept: number): void {
		const holder = (this.#kind === "table_open" ? this.#children.at(-1) : undefined) ?? this;
		if (holder === this) this.#standIns = 1;
		const done = holder.#children.splice(0, holder.#children.length - kept);
		for (const child of done) child.finish();
		holder.#released += done.length;
		if (holder.#sections === undefined && holder.#released >= LONG) holder.#group();
	}

	#group(): void {
		if (this.#kind === "tbody_open" && !isFrozen(this.#inner)) return;
		this.#sections = new Sections(this.#inner, SIZES);
		for (const child of [...this.#inner.children]) this.#sections.add(child, 1);
	}

	#add(child: Element): void {
		if (this.#sections === undefined) this.#inner.append(child);
		else this.#sections.add(child, 1);
		if (this.#sections === undefined || this.#kind !== "ordered_list_open") return;
		// Engines do not count items that they skip.
		const before = this.#released + this.#children.length - 1;
		child.setAttribute("value", String(Number(this.#inner.getAttribute("start") ?? 1) + before));
	}

	finish(): void {
		this.#inline?.finish();
		this.#code?.finish();
		for (const child of this.#children) child.finish();
	}
}

/** Number of items or rows from which they are grouped, so that new ones are laid out alone. */
const LONG = 64;
/** Number of items or rows in a section, and in a part of one. */
const SIZES = { section: 256, part: 8 };

/** Updates `nodes` to `blocks`, and keeps nodes of the same kind. */
export function patch(
	nodes: BlockNode[],
	blocks: readonly MarkdownBlock[],
	{ definitions, add }: { readonly definitions: Definitions; readonly add: (element: HTMLElement) => void },
): void {
	const shown = blocks.filter(({ token }) => token.type !== DEFINITION);
	for (const [at, block] of shown.entries()) {
		const old = nodes[at];
		if (old?.is(block)) {
			old.update(block);
			continue;
		}
		const node = new BlockNode(block, definitions);
		nodes[at] = node;
		if (old === undefined) add(node.element);
		else old.element.replaceWith(node.element);
	}
	for (const { element } of nodes.splice(shown.length)) element.remove();
}

const TEXTS: ReadonlySet<string> = new Set(["paragraph_open", "heading_open", "th_open", "td_open"]);
const CODES: ReadonlySet<string> = new Set(["fence", "code_block"]);
const LISTS: ReadonlySet<string> = new Set(["bullet_list_open", "ordered_list_open"]);
const SIDED: ReadonlySet<string> = new Set(["ul", "ol", "blockquote"]);

/** Kind of a block; blocks of one kind differ only in their content. */
function kindOf(token: Token): string {
	const { type, tag, info } = token;
	if (type === "list_item_open") return `${type} ${token.attrGet("class")}`;
	return type === "heading_open" ? tag : CODES.has(type) ? `${type} ${info}` : type;
}

/** Creates the element of a block, and the inner one for its blocks or its text. */
export function elementsOf(token: Token): { readonly element: HTMLElement; readonly inner: HTMLElement } {
	if (CODES.has(token.type)) return codeFrame(md.utils.unescapeAll(token.info));
	const inner = document.createElement(token.tag);
	if (token.type === "heading_open") inner.className = "heading";
	const name = token.attrGet("class");
	if (name !== null) inner.className = String(name);
	// A class, because the page's policy allows no style attributes.
	const align = /^text-align:(\w+)$/.exec(String(token.attrGet("style")))?.[1];
	if (align !== undefined) inner.className = `align-${align}`;
	const start = token.attrGet("start");
	if (start !== null) inner.setAttribute("start", String(start));
	// Markers, quote lines and first columns are on the side where the text begins.
	if (SIDED.has(token.tag)) inner.dir = "auto";
	if (token.type !== "table_open") return { element: inner, inner };
	return {
		element: el("div", { class: "table", attributes: { ...SCROLLABLE, dir: "auto" }, children: [inner] }),
		inner,
	};
}

/** Makes an element that may scroll sideways reachable by keyboard. */
const SCROLLABLE = { tabindex: "0" };

function codeFrame(info: string): ReturnType<typeof elementsOf> {
	const language = /^\S{1,40}/.exec(info.trim())?.[0] ?? "";
	const inner = el("code");
	const actions = [
		codeButton("copy", "Copy", "copy"),
		codeButton("insert", "Insert at Cursor", "insert"),
		codeButton("diff", "Compare with Editor", "compare"),
		codeButton("go-to-file", "Open as File", "open-code"),
	];
	const bar = [
		el("span", { class: "code-language one-line", text: language === "" ? "text" : language }),
		el("span", { class: "code-actions", children: actions }),
	];
	const element = el("div", {
		class: "code",
		attributes: { "data-language": language },
		children: [
			el("div", { class: "code-bar small-print", children: bar }),
			el("pre", { attributes: SCROLLABLE, children: [inner] }),
		],
	});
	return { element, inner };
}

/** Creates a button of a code block, whose click {@link CODE_ACTION} identifies. */
function codeButton(name: IconName, label: string, action: (typeof CODE_ACTIONS)[number]): HTMLButtonElement {
	const button = iconButton(name, label);
	button.setAttribute(CODE_ACTION, action);
	return button;
}

/** Growing code, highlighted once it is finished. */
class CodeText {
	readonly #element: HTMLElement;
	readonly #language: string;
	#plain: PlainText;
	#shown = "";
	#all = "";

	constructor(element: HTMLElement, language: string) {
		this.#element = element;
		this.#language = language;
		this.#plain = new PlainText("code-piece", element);
	}

	get tip(): HTMLElement {
		return this.#plain.tip;
	}

	update(text: string): void {
		this.#all = text;
		// The last line end is added with the next line, or at the end.
		this.#show(text.endsWith("\n") ? text.slice(0, -1) : text);
	}

	finish(): void {
		this.#show(this.#all);
		highlightLater(this.#element, { language: this.#language, length: this.#all.length });
	}

	#show(text: string): void {
		if (!text.startsWith(this.#shown)) {
			this.#element.replaceChildren();
			this.#plain = new PlainText("code-piece", this.#element);
			this.#shown = "";
		}
		this.#plain.append(text.slice(this.#shown.length));
		this.#shown = text;
	}
}

function lineCount(text: string): number {
	const ends = text.split("\n").length - 1;
	return text === "" || text.endsWith("\n") ? ends : ends + 1;
}

/** Fixes the column widths of a table, since engines lay out all rows for each new one. False without a layout. */
function isFrozen(body: HTMLElement): boolean {
	const table = body.parentElement;
	if (table === null || table.classList.contains("frozen")) return table !== null;
	const widths = [...table.querySelectorAll("th")].map((head) => head.getBoundingClientRect().width);
	if (widths.some((width) => width === 0)) return false;
	table.style.width = `${table.getBoundingClientRect().width}px`;
	table.style.setProperty("--columns", widths.map((width) => `${width}px`).join(" "));
	table.classList.add("frozen");
	return true;
}

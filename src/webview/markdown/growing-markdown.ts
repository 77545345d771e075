import type { Definitions } from "./inline-stream.ts";
import { type BlockNode, blocksOf, type MarkdownBlock, patch } from "./nodes.ts";
import { DEFINITION, parseBlocks, type References } from "./parser.ts";
import { Sections } from "./sections.ts";

/** Characters of source in a section, and in a part of one. */
const SIZES = { section: 16_384, part: 1024 };
/** Characters of open source above which a longer line of a paragraph is appended without parsing. */
const LONG_CHARS = 4096;

/**
 * Markdown that grows at its end. Only the open source is parsed again: the last block of the top level, of a list its last
 * item, of a table its head and last row. Everything before is final, and open blocks keep their nodes.
 * After the end the document equals one built from the whole text at once: since link definitions can come late, texts with
 * brackets that were built before the last definition are built again.
 */
export class GrowingMarkdown {
	readonly #definitions: Definitions;
	readonly #sections: Sections;
	/** Source that may still change its meaning. */
	#open = "";
	/** End of it that is not in the document. */
	#rest = "";
	readonly #nodes: BlockNode[] = [];
	#tip: HTMLElement | undefined;

	/** `before` is the element that follows in the view. */
	constructor(root: HTMLElement, definitions: Definitions, before: Element | null = null) {
		this.#definitions = definitions;
		this.#sections = new Sections(root, SIZES, before);
	}

	append(text: string): void {
		this.#sections.grew(text.length);
		this.#open += text;
		this.#rest += text;
		const last = this.#nodes.at(-1)?.last;
		const more = withoutBlanks(this.#rest);
		const isWithinLine = this.#open.length > LONG_CHARS && more !== "" && !more.includes("\n");
		if (isWithinLine && last?.extend(more)) this.#rest = this.#rest.slice(more.length);
		else this.#render(certainPart(this.#open, last?.isOpenFence));
		this.#markTip(this.#nodes.at(-1)?.last.tip);
	}

	end(): void {
		if (this.#open !== "" && !this.#open.endsWith("\n")) this.#open += "\n";
		this.#render(this.#open, true);
		for (const node of this.#nodes) node.finish();
		this.#markTip(undefined);
	}

	#render(source: string, isAll = false): void {
		const references: References = Object.create(this.#definitions.references);
		const tokens = parseBlocks(source, references);
		const blocks = blocksOf(tokens);
		patch(this.#nodes, blocks, { definitions: this.#definitions, add: (element) => this.#sections.add(element) });
		this.#rest = this.#open.slice(withoutBlanks(source).length);
		const line = isAll ? Number.POSITIVE_INFINITY : this.#settle(source, blocks);
		this.#definitions.add(tokens, references, line);
	}

	/** Releases final blocks, and returns the number of the first line that may still change. */
	#settle(source: string, blocks: readonly MarkdownBlock[]): number {
		// A block in an incomplete line may still change its kind, or become part of the one before it.
		const isCertain = (each: MarkdownBlock | undefined) =>
			lineStart(source, each?.token.map?.[0] ?? 0) <= source.lastIndexOf("\n");
		let first = firstOpen(blocks);
		if (first > 0 && !isCertain(blocks[first])) first = firstOpen(blocks, first);
		const block = blocks[first];
		if (!isCertain(block)) return 0;
		const [start = 0] = block?.token.map ?? [];
		const parts = first === blocks.length - 1 ? partsOf(block) : [];
		const kept = isCertain(parts.at(-1)) ? 1 : 2;
		const part = parts.length > kept ? parts.at(-kept) : undefined;
		const [line = 0] = part?.token.map ?? [start];
		const from = lineStart(source, line);
		const gone = blocks.slice(0, Math.max(0, first)).filter(({ token }) => token.type !== DEFINITION);
		for (const node of this.#nodes.splice(0, gone.length)) node.finish();
		if (part !== undefined) this.#nodes[0]?.release(kept);
		const head = part === undefined || block === undefined ? "" : headOf(block, source, start, from);
		this.#open = head + this.#open.slice(from);
		return line;
	}

	#markTip(tip: HTMLElement | undefined): void {
		if (tip === this.#tip) return;
		this.#tip?.classList.remove("tip");
		this.#tip = tip;
		tip?.classList.add("tip");
	}
}

/** Items of a list, or body rows of a table. A list without paragraphs yet stays whole, since it may become loose. */
function partsOf(block: MarkdownBlock | undefined): readonly MarkdownBlock[] {
	if (block?.token.type === "table_open") return block.blocks[1]?.blocks ?? [];
	const items = block?.token.type.endsWith("list_open") ? block.blocks : [];
	return items.some(({ blocks }) => blocks.some(({ token }) => token.tag === "p")) ? items : [];
}

/** Source in place of removed parts: the head of a table, or an item that keeps the next one an item of the list. */
function headOf({ token: { type, markup } }: MarkdownBlock, source: string, start: number, from: number): string {
	if (type === "table_open") return source.slice(lineStart(source, start), lineStart(source, start + 2));
	const indent = /^ */.exec(source.slice(from))?.[0] ?? "";
	return `${indent}${type === "ordered_list_open" ? "1" : ""}${markup} x\n`;
}

/** Index of the first block that more lines can change: the last one, or a definition before it. */
export function firstOpen(blocks: readonly MarkdownBlock[], to = blocks.length): number {
	return to - (endsInDefinition(blocks[to - 2]) ? 2 : 1);
}

function endsInDefinition(block: MarkdownBlock | undefined): boolean {
	return block !== undefined && (block.token.type === DEFINITION || endsInDefinition(block.blocks.at(-1)));
}

/** Offset of a line, counted from 0. */
export function lineStart(text: string, line: number): number {
	let at = 0;
	for (let left = line; left > 0; left -= 1) at = text.indexOf("\n", at) + 1;
	return at;
}

function withoutBlanks(text: string): string {
	let end = text.length;
	while (end > 0 && text.charCodeAt(end - 1) <= 32) end -= 1;
	return text.slice(0, end);
}

/** Starts of lines that more text can turn into something else. */
const OPEN_ENDED: readonly RegExp[] = [
	/^#{1,6}[ \t]*$/,
	/^([-*_=])[ \t]*(?:\1[ \t]*)*$/,
	/^\+[ \t]*$/,
	/^[|:\- \t]+$/,
	/^`{1,2}$/,
	/^`{3,}[^`]*$/,
	/^~{1,2}$/,
	/^~{3,}/,
	/^\d{1,9}[.)]?[ \t]*$/,
	/^\$\$?[ \t]*$/,
	/^\[[ xX]?\]?[ \t]*$/,
];

const MARK = /^(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))[ \t]*/;
const CLOSING = /^[\s>]*(?:`+|~+|\$+)?[ \t]*$/;
const MOST_LEVELS = 64;

/** Cuts off the last line of a text while more of it may make a block of another kind. */
function certainPart(text: string, isInFence = false): string {
	const end = text.lastIndexOf("\n") + 1;
	let line = text.slice(end).trimStart();
	if (isInFence) return CLOSING.test(line) ? text.slice(0, end) : text;
	for (let level = 0; level < MOST_LEVELS; level += 1) {
		if (line === "" || OPEN_ENDED.some((start) => start.test(line))) return text.slice(0, end);
		const mark = MARK.exec(line)?.[0];
		if (mark === undefined) break;
		line = line.slice(mark.length);
	}
	return text;
}

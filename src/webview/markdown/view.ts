import { el } from "../dom.ts";
import { PlainText, staticText } from "../plain-text.ts";
import { firstOpen, GrowingMarkdown, lineStart } from "./growing-markdown.ts";
import { Definitions } from "./inline-stream.ts";
import { blocksOf } from "./nodes.ts";
import { DEFINITION, parseBlocks, type References } from "./parser.ts";

/** Number of characters that one step cuts or builds, in a few milliseconds. */
const STEP_CHARS = 8192;

/** Source to be built. Until then it is in the document as plain text, in `bare`. */
interface Piece {
	readonly markdown: GrowingMarkdown;
	source: string;
	readonly bare?: HTMLElement;
	/** Number of blocks of the text up to its end. */
	readonly until?: number;
}

/**
 * Markdown that may grow. A long initial text is built in steps: it is cut between blocks that cannot change each other, and
 * then built piece by piece from the end, where the reader is.
 */
export class MarkdownView {
	readonly element = el("div", { class: "markdown" });
	readonly #step: number;
	readonly #definitions = new Definitions();
	/** Source that is not cut yet, and its element. */
	#uncut = "";
	readonly #bare = new PlainText("unbuilt");
	/** Number of characters to parse next: more for a longer block. */
	#window: number;
	/** End of the text, which may grow, and the pieces before it. */
	readonly #end: Piece = { markdown: new GrowingMarkdown(this.element, this.#definitions), source: "" };
	readonly #pieces: Piece[] = [];
	#hasBegun = false;
	#hasEnded = false;
	#carriageReturn = false;

	constructor(step = STEP_CHARS) {
		this.#step = step;
		this.#window = step;
	}

	/** True once all text so far is built. */
	get built(): boolean {
		return this.#uncut === "" && this.#end.source === "" && this.#pieces.length === 0;
	}

	append(text: string): void {
		const all = this.#unified(text);
		if (this.#uncut !== "" || (!this.#hasBegun && all.length > this.#step)) {
			if (this.#uncut === "") this.element.append(this.#bare.element);
			this.#uncut += all;
			this.#bare.append(all);
		} else if (this.#end.source !== "") this.#end.source += all;
		else this.#end.markdown.append(all);
		this.#hasBegun ||= all !== "";
	}

	end(): void {
		this.#hasEnded = true;
		if (this.#uncut !== "" || this.#end.source !== "") return;
		this.#end.markdown.end();
		this.#definitions.rebuildStale();
	}

	/** Does one step of the rest, first in the piece with this block. */
	build(block = Number.POSITIVE_INFINITY): void {
		const at = this.#pieces.findIndex(({ until = 0 }) => block < until);
		const piece = this.#end.source === "" ? this.#pieces.at(at) : this.#end;
		if (this.#uncut !== "") this.#cut();
		else if (piece !== undefined) this.#grow(piece);
	}

	/** Cuts off blocks that later source cannot change, and collects their definitions. */
	#cut(): void {
		const all = this.#uncut;
		if (this.#window >= all.length) {
			this.#uncut = "";
			this.#end.source = all;
			this.#bare.element.replaceWith(...this.#pieces.flatMap(({ bare = [] }) => bare));
			return;
		}
		const lines = all.slice(0, all.lastIndexOf("\n", this.#window) + 1);
		const references: References = Object.create(this.#definitions.references);
		const tokens = parseBlocks(lines, references);
		const blocks = blocksOf(tokens);
		const first = firstOpen(blocks);
		const line = blocks[first]?.token.map?.[0] ?? 0;
		this.#window = line === 0 ? 2 * this.#window : this.#step;
		if (line === 0) return;
		this.#definitions.add(tokens, references, line);
		const source = lines.slice(0, lineStart(lines, line));
		const shown = blocks.slice(0, first).filter(({ token }) => token.type !== DEFINITION).length;
		const bare = staticText(source, "unbuilt");
		bare.dataset["blocks"] = String(shown);
		const markdown = new GrowingMarkdown(this.element, this.#definitions, bare);
		this.#pieces.push({ markdown, source, bare, until: (this.#pieces.at(-1)?.until ?? 0) + shown });
		this.#uncut = all.slice(source.length);
	}

	#grow(piece: Piece): void {
		piece.bare?.replaceChildren();
		piece.markdown.append(piece.source.slice(0, this.#step));
		piece.source = piece.source.slice(this.#step);
		if (piece.source !== "") return;
		if (piece === this.#end) {
			if (this.#hasEnded) this.end();
			return;
		}
		piece.markdown.end();
		piece.bare?.remove();
		this.#pieces.splice(this.#pieces.indexOf(piece), 1);
	}

	/** Normalizes line ends, also those split between two texts, and replaces NUL. */
	#unified(text: string): string {
		const isEnded = this.#carriageReturn && text.startsWith("\n");
		if (text !== "") this.#carriageReturn = text.endsWith("\r");
		return (isEnded ? text.slice(1) : text).replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
	}
}

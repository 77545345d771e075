import type { Token } from "markdown-it";
import { appendText, buildInline, isUnbroken, PIECE_CHARS, textPiece } from "./inline.ts";
import { mayOpenMath } from "./math.ts";
import { parseInline, type References } from "./parser.ts";

/** Marks that can mean something; a text without them is only text. */
const MARKS = /[\\`*_[\]!<&~$\n]|:\/\//;
/**
 * An open end longer than this is parsed again only after it has grown by an eighth, and a very long one only when it
 * has doubled, which bounds the whole work. Until then its new text is shown as it is.
 */
const OFTEN_CHARS = 1024;
const SELDOM_CHARS = 16_384;
/** The blanks are those of CommonMark: a byte order mark and the separators of lines and paragraphs are letters to it. */
const LONE_STAR = /(?<=[\p{Zs}\t\n\f\r])\*(?=[\p{Zs}\t\n\f\r])/gu;

/** Where a growing text takes its definitions from. */
export interface InlineContext {
	readonly references: References;
	/** How many definitions there are by now. */
	definitions(): number;
}

/**
 * The inline content of one element, growing at its end. What stands before a blank with every mark in it resolved can
 * never change: it is built once. Only the rest, usually a word or an open emphasis, is parsed again.
 *
 * Why that is right: marks pair up from left to right, a blank ends every construct that is not opened by a mark, and
 * {@link resolved} refuses a text that leaves a mark a later one could pair with.
 */
export class InlineStream {
	readonly element: HTMLElement;
	readonly #context: InlineContext;
	/** The source that is built for good. Kept apart, for whoever looks at a letter of a grown text copies all of it. */
	#stable = "";
	/** The last node built for good. */
	#lastStable: ChildNode | null = null;
	/** The rest of the source, of which the next two are the end. */
	#open = "";
	/** What was not searched for a place to cut at. */
	#unsearched = "";
	/** What is not in the document at all. */
	#unshown = "";
	/** The length of the open end when it was last parsed. */
	#parsed = 0;
	/** The length of the open end when settling was last tried. */
	#tried = 0;
	#builtWith = 0;

	constructor(element: HTMLElement, context: InlineContext) {
		this.element = element;
		this.#context = context;
	}

	get source(): string {
		return this.#stable + this.#open;
	}

	get size(): number {
		return this.#stable.length + this.#open.length;
	}

	append(text: string): void {
		this.#open += text;
		this.#unsearched += text;
		this.#unshown += text;
	}

	/** Brings the element up to the source. Cheap when nothing was added. */
	render(): void {
		if (this.#unshown === "") return;
		this.#settle();
		const { length } = this.#open;
		const growth = length > SELDOM_CHARS ? 2 : 1.125;
		if (length > OFTEN_CHARS && this.#parsed > 0 && length < this.#parsed * growth) this.show(this.#unshown);
		else this.#parseOpenEnd();
		this.#unshown = "";
	}

	/** Shows a text behind what the element holds as it is, until the open end is built the next time. */
	show(text: string): void {
		const last = this.element.lastChild;
		const growing = last instanceof Text && last !== this.#lastStable ? last : undefined;
		if (growing !== undefined && growing.length < PIECE_CHARS) growing.appendData(text);
		else {
			if (growing !== undefined && isUnbroken(growing.data)) this.element.append(textPiece(growing));
			this.element.append(text);
		}
	}

	/** Renders for the last time, without the blanks at the end. Equal to building the whole source at once. */
	finish(): void {
		this.#open = this.#open.trimEnd();
		this.#parseOpenEnd();
		this.#unsearched = this.#unshown = "";
	}

	/** Starts over with another source. */
	reset(source: string): void {
		this.#open = this.#unsearched = this.#unshown = source;
		this.#stable = "";
		this.#parsed = this.#tried = 0;
		this.#lastStable = null;
		this.element.replaceChildren();
	}

	/** True when definitions that came later may turn a bracket of this text into a link. */
	get stale(): boolean {
		return this.source.includes("[") && this.#builtWith < this.#context.definitions();
	}

	/** Builds the whole source again with all definitions known by now. */
	rebuild(): void {
		this.reset(this.source);
		this.finish();
	}

	/** Builds for good as much of the open end as can never change. */
	#settle(): void {
		const { length } = this.#open;
		if (length < 32 || length < this.#tried * 1.25) return;
		const boundary = lastBoundary(this.#unsearched);
		if (boundary === undefined) {
			// The last two characters may still come to stand around a blank.
			this.#unsearched = this.#unsearched.slice(-2);
			return;
		}
		this.#tried = length;
		const end = length - this.#unsearched.length + boundary;
		const text = this.#open.slice(0, end);
		if (!MARKS.test(text)) this.#settleText(text);
		else {
			const tokens = this.#parse(text);
			if (!resolved(tokens)) return;
			this.#removeOpenEnd();
			buildInline(tokens, this.element);
			this.#lastStable = this.element.lastChild;
		}
		this.#stable += text;
		this.#open = this.#unsearched = this.#open.slice(end);
		this.#parsed = this.#tried = 0;
	}

	#settleText(text: string): void {
		this.#removeOpenEnd();
		const last = this.#lastStable;
		if (last instanceof Text && last.length < PIECE_CHARS && text.length < PIECE_CHARS) last.appendData(text);
		else {
			appendText(text, this.element);
			this.#lastStable = this.element.lastChild;
		}
	}

	#parseOpenEnd(): void {
		const text = this.#open;
		this.#parsed = text.length;
		const only = this.#lastStable === null ? this.element.firstChild : this.#lastStable.nextSibling;
		const plain = text.length < PIECE_CHARS && !MARKS.test(text);
		if (plain && only === null) {
			if (text !== "") this.element.append(text);
			return;
		}
		if (plain && only instanceof Text && only.nextSibling === null && only.data !== "") {
			if (text.startsWith(only.data)) only.appendData(text.slice(only.length));
			else only.data = text;
			if (text === "") only.remove();
			return;
		}
		this.#removeOpenEnd();
		if (text !== "") buildInline(this.#parse(text), this.element);
	}

	#parse(text: string): Token[] {
		this.#builtWith =
			this.#stable === "" ? this.#context.definitions() : Math.min(this.#builtWith, this.#context.definitions());
		return parseInline(text, this.#context.references);
	}

	#removeOpenEnd(): void {
		if (this.#lastStable === null) {
			if (this.element.firstChild !== null) this.element.replaceChildren();
			return;
		}
		for (let next = this.#lastStable.nextSibling; next !== null; next = this.#lastStable.nextSibling) next.remove();
	}
}

/**
 * The end of the last single blank between two other characters, at or before which a text may be cut. Blanks in a row
 * stay with what follows: they may be a line break or be trimmed.
 */
function lastBoundary(text: string): number | undefined {
	for (let at = text.length - 1; at > 1; at -= 1) {
		const blank = text[at - 1];
		if ((blank === " " || blank === "\n") && isWordy(text[at]) && isWordy(text[at - 2])) return at;
	}
	return undefined;
}

function isWordy(char: string | undefined): boolean {
	return char !== undefined && char !== " " && char !== "\n" && char !== "\t" && char !== "\\";
}

/** True when no mark is left in the text that a later mark could pair with. */
export function resolved(tokens: readonly Token[]): boolean {
	let brackets = 0;
	let isDollarOpen = false;
	for (const token of tokens) {
		if (token.type === "text_special" && (token.markup === "\\(" || token.markup === "\\[")) return false;
		if (token.type === "softbreak" || token.type === "hardbreak") isDollarOpen = false;
		if (token.type !== "text") continue;
		const text = token.content;
		if (text.includes("$$")) return false;
		isDollarOpen ||= mayOpenMath(text);
		// A target in parentheses is the one construct with blanks in it that a bracket already closed can still begin.
		if (text.includes("`") || text.includes("~~") || text.includes("](")) return false;
		if (/[*_]/.test(text) && openEmphasis(text)) return false;
		for (const char of text) {
			if (char === "[") brackets += 1;
			else if (char === "]" && brackets > 0) brackets -= 1;
		}
	}
	return brackets === 0 && !isDollarOpen;
}

/** A star with blanks on both sides and an underscore inside a word are only characters. */
function openEmphasis(text: string): boolean {
	return /[*_]/.test(text.replaceAll(LONE_STAR, "").replaceAll(/(?<=[a-z0-9])_(?=[a-z0-9])/gi, ""));
}

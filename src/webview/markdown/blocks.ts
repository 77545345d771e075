import { el } from "../dom.ts";
import { CodeLeaf } from "./code-leaf.ts";
import { Containers, MAX_DEPTH } from "./containers.ts";
import { CODE_INDENT, Cursor } from "./cursor.ts";
import type { Definitions } from "./definitions.ts";
import { HeadingLeaf, type Leaf, ParagraphLeaf } from "./leaves.ts";
import { md } from "./parser.ts";
import {
	atxHeading,
	closesFence,
	delimiterRow,
	type ListMarker,
	listMarker,
	openingFence,
	setextLevel,
	splitRow,
	thematicBreak,
} from "./starts.ts";
import { TableLeaf } from "./table-leaf.ts";

/** A line on its way through the steps. */
interface LineStart {
	readonly cursor: Cursor;
	/** Number of open containers that the line continues. */
	readonly matched: number;
	/** True when more of the line is to come. */
	readonly open: boolean;
	/** The open leaf, where the line continues everything around it. */
	leaf: Leaf | undefined;
	/** True once the blocks that the line does not continue are closed. */
	closed: boolean;
}

/**
 * Turns lines into blocks in the document, one line at a time, each looked at once: what is closed is never read
 * again, and what is open grows from inside. A line goes through three steps: which open containers it continues,
 * which blocks it starts, and which block its text belongs to.
 *
 * The last, incomplete line takes part as soon as it {@link isCertain}; from then on its text only extends a leaf.
 */
export class BlockMachine {
	readonly #containers: Containers;
	readonly #definitions: Definitions;
	#leaf: Leaf | undefined;
	/** True while the current line already stands in the document and grows. */
	#lineOpen = false;

	/** Blocks of the top level are handed to `place`. */
	constructor(place: (block: HTMLElement) => void, definitions: Definitions) {
		this.#containers = new Containers(place);
		this.#definitions = definitions;
	}

	/** True while text without a line end goes to {@link extend}. */
	get lineOpen(): boolean {
		return this.#lineOpen;
	}

	/** The element the text ends in. */
	get tip(): HTMLElement | undefined {
		return this.#leaf?.tip;
	}

	/** Tries to show an incomplete line; false when it has to wait for more of it. */
	open(part: string): boolean {
		const cursor = new Cursor(part);
		const matched = this.#containers.match(cursor);
		if (!this.#certain(cursor, matched)) return false;
		this.#containers.nextLine();
		this.#take(cursor, matched, true);
		return this.#lineOpen;
	}

	extend(text: string): void {
		this.#leaf?.extend(text);
	}

	endLine(): void {
		this.#lineOpen = false;
		this.#leaf?.finishLine();
	}

	/** Takes a whole line, without its end. */
	line(text: string): void {
		const cursor = new Cursor(text);
		const matched = this.#containers.match(cursor);
		this.#containers.nextLine();
		this.#take(cursor, matched, false);
	}

	/** Brings the open leaf up to date in the document. */
	render(): void {
		this.#leaf?.render();
	}

	/** Closes everything. */
	end(): void {
		if (this.#lineOpen) this.endLine();
		this.#closeLeaf();
		this.#containers.closeTo(1);
	}

	#certain(cursor: Cursor, matched: number): boolean {
		const leaf = this.#leaf;
		if (leaf instanceof CodeLeaf && leaf.fence !== undefined && this.#containers.allMatched(matched)) {
			const { rest } = cursor;
			if (rest === "") return false;
			return cursor.indent >= CODE_INDENT || !rest.startsWith(leaf.fence.char) || !/^(.)\1*[ \t]*$/.test(rest);
		}
		return isCertain(cursor);
	}

	#take(cursor: Cursor, matched: number, open: boolean): void {
		const all = this.#containers.allMatched(matched);
		const leaf = all ? this.#leaf : undefined;
		if (leaf instanceof CodeLeaf && this.#continueCode(leaf, cursor, open)) return;
		if (cursor.blank) {
			this.#closeLeaf();
			this.#containers.closeTo(matched);
			this.#containers.blank();
			return;
		}
		const line: LineStart = { cursor, matched, open, leaf, closed: false };
		while (this.#startContainer(line)) line.leaf = undefined;
		if (!this.#startLeaf(line)) this.#addText(line, all);
	}

	/** A line inside open code; false when it ends the code without being part of it. */
	#continueCode(leaf: CodeLeaf, cursor: Cursor, open: boolean): boolean {
		if (leaf.fence !== undefined) {
			if (!open && cursor.indent < CODE_INDENT && closesFence(cursor.rest, leaf.fence)) this.#closeLeaf();
			else {
				cursor.columns(Math.min(leaf.offset, cursor.indent));
				this.#put(leaf, cursor.remainder, open);
			}
			this.#containers.filled();
			return true;
		}
		const { blank } = cursor;
		if (cursor.indent < CODE_INDENT && !blank) return false;
		cursor.columns(CODE_INDENT);
		this.#put(leaf, cursor.remainder, open);
		if (blank) this.#containers.blank();
		else this.#containers.filled();
		return true;
	}

	/** Opens a quote or a list item if one starts here. */
	#startContainer(line: LineStart): boolean {
		const { cursor } = line;
		if (cursor.indent >= CODE_INDENT || cursor.blank || this.#containers.full) return false;
		if (cursor.char === ">") {
			this.#close(line);
			this.#containers.openQuote();
			cursor.toNonspace();
			cursor.characters(1);
			cursor.columns(1);
			return true;
		}
		const { rest } = cursor;
		const marker = listMarker(rest);
		if (marker === undefined || thematicBreak(rest) || this.#underlines(line, rest)) return false;
		if (line.leaf instanceof ParagraphLeaf && !mayInterrupt(marker, rest)) return false;
		const indent = cursor.indent;
		this.#close(line);
		cursor.toNonspace();
		cursor.characters(marker.width);
		const blanks = cursor.indent;
		const padding = cursor.blank || blanks > CODE_INDENT ? 1 : blanks;
		cursor.columns(padding);
		this.#containers.openItem(marker, indent + marker.width + padding);
		return true;
	}

	/** True when the line is the underline of a paragraph rather than a list marker. */
	#underlines(line: LineStart, rest: string): boolean {
		return line.leaf instanceof ParagraphLeaf && setextLevel(rest) !== undefined;
	}

	/** Starts a leaf that has a mark of its own; false when the rest of the line is plain text. */
	#startLeaf(line: LineStart): boolean {
		const { cursor } = line;
		if (cursor.blank) {
			this.#containers.filled();
			return true;
		}
		if (cursor.indent >= CODE_INDENT) {
			if (this.#leaf instanceof ParagraphLeaf) return false;
			this.#close(line);
			cursor.columns(CODE_INDENT);
			this.#put(this.#add(new CodeLeaf("")), cursor.remainder, line.open);
			return true;
		}
		const { rest } = cursor;
		const heading = atxHeading(rest);
		if (heading !== undefined) {
			this.#close(line);
			this.#put(this.#add(new HeadingLeaf(heading.level, this.#definitions)), rest.slice(heading.width), line.open);
			if (!line.open) this.#closeLeaf();
			return true;
		}
		const fence = openingFence(rest);
		if (fence !== undefined) {
			const offset = cursor.indent;
			this.#close(line);
			this.#add(new CodeLeaf(md.utils.unescapeAll(fence.info), fence, offset));
			return true;
		}
		if (line.leaf instanceof ParagraphLeaf && this.#convert(line.leaf, rest)) return true;
		if (!thematicBreak(rest)) return false;
		this.#close(line);
		this.#containers.add(el("hr"));
		return true;
	}

	/** A paragraph whose next line makes its last line a table head, or all of it a heading. */
	#convert(paragraph: ParagraphLeaf, rest: string): boolean {
		const aligns = paragraph.headable ? delimiterRow(rest) : undefined;
		if (aligns !== undefined && paragraph.lastLine.includes("|")) {
			const head = splitRow(paragraph.lastLine);
			if (head.length > 0 && head.length === aligns.length) {
				const kept = paragraph.dropLastLine();
				if (kept) this.#closeLeaf();
				this.#leaf = undefined;
				this.#add(new TableLeaf(head, aligns, this.#definitions));
				return true;
			}
		}
		const level = setextLevel(rest);
		if (level === undefined) return false;
		const converted = paragraph.closeAsHeading(level);
		this.#leaf = undefined;
		this.#containers.filled();
		return converted;
	}

	#addText(line: LineStart, all: boolean): void {
		const leaf = line.closed ? undefined : this.#leaf;
		const { rest } = line.cursor;
		if (leaf instanceof ParagraphLeaf) {
			leaf.headable = all && line.cursor.indent < CODE_INDENT;
			this.#put(leaf, rest, line.open);
		} else if (leaf instanceof TableLeaf && all) this.#put(leaf, rest, line.open);
		else {
			this.#close(line);
			this.#put(this.#add(new ParagraphLeaf(this.#definitions)), rest, line.open);
			return;
		}
		this.#containers.filled();
	}

	#put(leaf: Leaf, text: string, open: boolean): void {
		leaf.begin(text);
		if (open) this.#lineOpen = true;
		else leaf.finishLine();
	}

	#add<T extends Leaf>(leaf: T): T {
		this.#containers.add(leaf.element);
		this.#leaf = leaf;
		return leaf;
	}

	/** Closes what the line does not continue, once per line. */
	#close(line: LineStart): void {
		if (line.closed) return;
		line.closed = true;
		this.#closeLeaf();
		this.#containers.closeTo(line.matched);
	}

	#closeLeaf(): void {
		const leaf = this.#leaf;
		this.#leaf = undefined;
		leaf?.close();
	}
}

/** Inside a paragraph only an item with text, and only number 1, starts a list. */
function mayInterrupt(marker: ListMarker, rest: string): boolean {
	if (marker.start !== undefined && marker.start !== 1) return false;
	return rest.slice(marker.width).trim() !== "";
}

const SPECIAL = /^[#>\-+*_=`~|:$\d]/;

/**
 * True when no continuation of this part of a line can change what kind of line it is, so that it may be shown and grow
 * in place. `cursor` stands behind the containers the line continues. May answer false too often, never true too often:
 * a line held back is read whole at its end.
 */
function isCertain(cursor: Cursor): boolean {
	const at = cursor.copy();
	// Each level reads all that is left of the line, and no deeper container is ever opened.
	for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
		const { indent, rest } = at;
		if (rest === "") return false;
		if (indent >= CODE_INDENT || !SPECIAL.test(rest)) return true;
		if (rest.startsWith(">")) {
			at.toNonspace();
			at.characters(1);
			at.columns(1);
			continue;
		}
		if (mayBecomeOther(rest)) return false;
		const marker = listMarker(rest);
		if (marker === undefined) return true;
		at.toNonspace();
		at.characters(marker.width);
		if (at.indent > CODE_INDENT) return true;
		at.toNonspace();
	}
	// Whatever text it is, it opens no more, and at each level it was none of what is still open-ended.
	return true;
}

/** The starts of lines that more text can turn into something else. */
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
];

function mayBecomeOther(rest: string): boolean {
	return OPEN_ENDED.some((pattern) => pattern.test(rest));
}

import { el } from "./dom.ts";

/** A piece of this many characters is closed at the next line end, so that what is long or grows is cheap to lay out. */
export const PIECE_CHARS = 4096;
/** Where no line has ended by then, it is closed at the next blank. */
const LINE_CHARS = 8192;
/** Where there is no blank either, it is closed here. */
const MOST_CHARS = 9216;
/** How far before its place a cut looks where a letter begins: most are of one or two characters, some emoji of a dozen. */
const LETTER_CHARS = 64;

const letters = new Intl.Segmenter();

/**
 * Text shown as it is, which may grow. A long one stands in pieces, of which an engine leaves out those that are not in
 * view. Pieces end where lines do; a line of thousands of characters is cut, which is seen but neither copied nor found.
 */
export class PlainText {
	readonly element: HTMLElement;
	#piece: Text | undefined;

	constructor(className = "plain") {
		this.element = el("div", { class: className });
	}

	append(text: string): void {
		let rest = text;
		while (rest !== "") {
			if (this.#piece === undefined) {
				this.#piece = document.createTextNode("");
				this.element.append(el("div", { class: "plain-piece", children: [this.#piece] }));
			}
			const end = pieceEnd(rest, this.#piece.length);
			this.#piece.appendData(rest.slice(0, end));
			if (end === undefined) return;
			this.#close(this.#piece);
			rest = rest.slice(end);
		}
	}

	end(): void {
		this.#piece = undefined;
	}

	#close(piece: Text): void {
		piece.parentElement?.classList.add("settled");
		if (!piece.data.endsWith("\n")) this.element.classList.add("cut");
		this.#piece = undefined;
	}
}

/** How much of `text` ends the piece that has `length` characters before it; undefined where the piece goes on. */
function pieceEnd(text: string, length: number): number | undefined {
	const most = Math.max(0, MOST_CHARS - length);
	const near = text.slice(0, most);
	const line = near.indexOf("\n", PIECE_CHARS - length);
	if (line !== -1) return line + 1;
	const blank = near.indexOf(" ", LINE_CHARS - length);
	if (blank !== -1) return blank + 1;
	return text.length > most ? letterStart(text, most) : undefined;
}

/** The last place up to `at` where a letter begins; of one that is built of very many marks, a code point. */
function letterStart(text: string, at: number): number {
	const from = Math.max(0, at - LETTER_CHARS);
	const letter = letters.segment(text.slice(from, at + 2)).containing(at - from);
	if (letter !== undefined && letter.index > 0) return from + letter.index;
	return /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at + 1 : at;
}

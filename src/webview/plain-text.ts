import { el } from "./dom.ts";

/** Number of characters after which a piece ends at the next line end. */
export const PIECE_CHARS = 4096;
/** Number of characters after which a piece of wrapping text ends at the next blank. */
const LINE_CHARS = 8192;

/** Plain text that may grow, split into pieces: only the last is laid out again, and those out of view are skipped. */
export class PlainText {
	readonly element: HTMLElement;
	readonly #pieceClass: string;
	readonly #wraps: boolean;
	#piece: Text | undefined;

	/** Fills an `element`, if given, with pieces of that class that end only at line ends. */
	constructor(className = "plain", element?: HTMLElement) {
		this.element = element ?? el("div", { class: className });
		this.#pieceClass = element === undefined ? "plain-piece" : className;
		this.#wraps = element === undefined;
	}

	get tip(): HTMLElement {
		return this.#piece?.parentElement ?? this.element;
	}

	append(text: string): void {
		let rest = text;
		while (rest !== "") {
			if (this.#piece === undefined) {
				this.#piece = document.createTextNode("");
				this.element.append(el("div", { class: this.#pieceClass, children: [this.#piece] }));
			}
			const blank = this.#wraps ? rest.indexOf(" ", LINE_CHARS - this.#piece.length) + 1 : 0;
			const line = blank === 0 ? rest : rest.slice(0, blank);
			const end = line.indexOf("\n", PIECE_CHARS - this.#piece.length) + 1 || blank;
			this.#piece.appendData(end === 0 ? rest : rest.slice(0, end));
			if (end === 0) return;
			this.#piece.parentElement?.classList.add("settled");
			this.#piece = undefined;
			rest = rest.slice(end);
		}
	}

	end(): void {
		this.#piece = undefined;
	}
}

/** Creates an element with plain text that does not grow. */
export function staticText(text: string, className?: string): HTMLElement {
	const plain = new PlainText(className);
	plain.append(text);
	return plain.element;
}

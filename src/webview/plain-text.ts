import { el } from "./dom.ts";

/** Number of characters after which a piece is closed at the next line end, so that long text is cheap to lay out. */
export const PIECE_CHARS = 4096;

/**
 * Text shown as it is, which may grow. A long one stands in pieces that end where lines do: a growing one lays out only
 * its last, and an engine leaves out those that are not in view.
 */
export class PlainText {
	readonly element: HTMLElement;
	readonly #pieceClass: string;
	#piece: Text | undefined;

	/** Fills `element` with pieces of that class. */
	constructor(className = "plain", element?: HTMLElement) {
		this.element = element ?? el("div", { class: className });
		this.#pieceClass = element === undefined ? "plain-piece" : className;
	}

	/** Element in which the text ends. */
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
			const end = rest.indexOf("\n", PIECE_CHARS - this.#piece.length) + 1;
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

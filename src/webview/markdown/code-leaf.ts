import { el } from "../dom.ts";
import { codeFrame } from "./elements.ts";
import { highlightLater } from "./highlight-later.ts";
import type { Leaf } from "./leaves.ts";
import type { Fence } from "./starts.ts";

/** A piece of code this long is closed at the next line end, so that a growing block lays out only its last piece. */
const PIECE_CHARS = 4096;

/** Code, fenced or indented: text nodes only while it grows, colored when it is closed. */
export class CodeLeaf implements Leaf {
	readonly element: HTMLElement;
	/** Set for fenced code. */
	readonly fence: Fence | undefined;
	/** Columns of indentation that belong to the fence and are taken from its lines. */
	readonly offset: number;
	readonly #code: HTMLElement;
	readonly #language: string;
	#place: HTMLElement;
	#piece: Text;
	#pending = "";
	/** Blank lines of indented code, shown only when more code follows them. */
	#blanks = "";
	#blank = false;
	#length = 0;

	constructor(info: string, fence?: Fence, offset = 0) {
		const { element, code } = codeFrame(info);
		this.element = element;
		this.fence = fence;
		this.offset = offset;
		this.#code = code;
		this.#language = element.dataset["language"] ?? "";
		this.#place = code;
		this.#piece = document.createTextNode("");
		code.append(this.#piece);
	}

	get tip(): HTMLElement {
		return this.#place;
	}

	begin(text: string): void {
		this.#blank = this.fence === undefined && text.trim() === "";
		if (this.#blank) this.#blanks += text;
		else {
			this.#pending += this.#blanks + text;
			this.#blanks = "";
		}
	}

	extend(text: string): void {
		this.#pending += text;
	}

	finishLine(): void {
		if (this.#blank) this.#blanks += "\n";
		else this.#pending += "\n";
		if (this.#piece.length + this.#pending.length >= PIECE_CHARS) this.#nextPiece();
	}

	render(): void {
		if (this.#pending === "") return;
		this.#length += this.#pending.length;
		this.#piece.appendData(this.#pending);
		this.#pending = "";
	}

	close(): void {
		this.render();
		highlightLater(this.#code, { language: this.#language, length: this.#length });
	}

	#nextPiece(): void {
		this.render();
		this.#piece = document.createTextNode("");
		this.#place = el("span", { class: "code-piece", children: [this.#piece] });
		this.#code.append(this.#place);
	}
}

import { el } from "./dom.ts";

/** A piece of this many characters is closed and a new one begun, so that growing text stays cheap to lay out. */
const PIECE_CHARS = 8192;

/** Growing text shown as it is. Lines are kept whole where they are shorter than a piece. */
export class PlainText {
	readonly element = el("div", { class: "plain" });
	#piece: Text | undefined;

	append(text: string): void {
		let rest = text;
		while (rest !== "") {
			if (this.#piece === undefined) {
				this.#piece = document.createTextNode("");
				this.element.append(el("div", { class: "plain-piece", children: [this.#piece] }));
			}
			const room = PIECE_CHARS - this.#piece.length;
			// Pieces are blocks of their own, so one may only end where a line does.
			const lineEnd = rest.length < room ? -1 : rest.indexOf("\n", Math.max(0, room));
			if (lineEnd === -1) {
				this.#piece.appendData(rest);
				return;
			}
			this.#piece.appendData(rest.slice(0, lineEnd + 1));
			this.#piece = undefined;
			rest = rest.slice(lineEnd + 1);
		}
	}

	end(): void {
		this.#piece = undefined;
	}
}

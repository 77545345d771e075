import { el } from "./dom.ts";

/**
 * The one live region of the panel, visually hidden: start, end and errors of a reply, never its text, because a live
 * transcript would be read out token by token.
 */
export class Status {
	readonly element = el("div", { class: "visually-hidden", attributes: { id: "status", role: "status" } });

	announce(text: string): void {
		// A region announces changes only: the same words twice need an empty moment between them.
		if (this.element.textContent === text) this.element.textContent = "";
		this.element.textContent = text;
	}
}

import { blockName } from "#base/reply.ts";
import type { BlockChange, CallView } from "#protocol/panel.ts";
import { CallBlock } from "./call-block.ts";
import { el, icon } from "./dom.ts";
import { MarkdownView } from "./markdown/view.ts";
import type { MessageRooms } from "./message-actions.ts";
import { PlainText } from "./plain-text.ts";
import { clockWords } from "./words.ts";

/** Duration below which thinking has no line, in ms. */
const BRIEF_MS = 2_000;

/** Block of a reply in the document. */
export class BlockElement {
	readonly element: HTMLElement;
	readonly index: number;
	readonly type: string;
	readonly #begin: () => CallBlock;
	#call: CallBlock | undefined;
	call: CallView | undefined;
	/** Duration of a thinking block so far, in ms. */
	#thoughtMs: number | undefined;
	readonly #label = el("span", { class: "fold-label one-line" });
	#body: MarkdownView | PlainText;
	#text = "";
	#open = true;

	/** `message` is the id of its reply. */
	constructor(change: BlockChange, message: string, rooms: MessageRooms) {
		this.#begin = () => new CallBlock({ message, key: change.key }, rooms);
		this.index = change.index;
		this.type = change.type;
		this.element = el("div", {
			class: "block open",
			attributes: { "data-key": change.key, "data-index": String(change.index), "data-type": change.type },
		});
		this.#body = this.#makeBody();
		this.element.append(this.#frame(this.#body.element));
	}

	/** Its markdown, which may be built in part. */
	get markdown(): MarkdownView | undefined {
		return this.#body instanceof MarkdownView ? this.#body : undefined;
	}

	get answer(): string {
		return this.type === "text" ? this.#text : "";
	}

	/** Duration of thinking in ms; 0 for other blocks. */
	get thoughtMs(): number {
		return this.#thoughtMs ?? 0;
	}

	/** True for thinking that has ended so soon that it needs no line, and is not read. */
	get isBrief(): boolean {
		return this.type === "thinking" && !this.#open && (this.#thoughtMs ?? BRIEF_MS) < BRIEF_MS && !this.isInUse;
	}

	/** True while the person has opened it, or is there with the keyboard. */
	get isInUse(): boolean {
		return this.element.querySelector(":focus, [open]") !== null;
	}

	/** True while the reply waits for its call. */
	get isCalling(): boolean {
		return this.call?.state === "asking" || this.call?.state === "running";
	}

	change({ mode, text, open, thoughtMs, call }: BlockChange): void {
		this.call = call ?? this.call;
		this.#thoughtMs = thoughtMs ?? this.#thoughtMs;
		const isMore = mode === "append" || text.startsWith(this.#text);
		const more = mode === "append" ? text : text.slice(this.#text.length);
		this.#text = mode === "append" ? this.#text + text : text;
		if (this.call === undefined) this.#show(isMore ? more : undefined);
		else this.#showCall(this.call);
		if (!open) this.close();
	}

	#showCall(view: CallView): void {
		if (this.#call === undefined) {
			this.#call = this.#begin();
			this.element.replaceChildren(this.#call.element);
		}
		this.#call.update(view, this.#text);
	}

	close(): void {
		if (!this.#open) return;
		this.#open = false;
		this.#body.end();
		this.element.classList.remove("open");
		if (this.type === "thinking") {
			const spent = this.#thoughtMs;
			this.#label.textContent = spent === undefined ? "Thought" : `Thought for ${clockWords(Math.max(1000, spent))}`;
		}
	}

	/** Appends to an open body, or draws all text anew if the body was closed or the text replaced (undefined). */
	#show(more: string | undefined): void {
		if (more === "") return;
		const goesOn = this.#open && more !== undefined;
		if (!goesOn) {
			const fresh = this.#makeBody();
			this.#body.element.replaceWith(fresh.element);
			this.#body = fresh;
			this.#open = true;
			this.element.classList.add("open");
		}
		this.#body.append(goesOn ? more : this.#text);
	}

	#makeBody(): MarkdownView | PlainText {
		return this.type === "text" ? new MarkdownView() : new PlainText();
	}

	#frame(body: HTMLElement): HTMLElement {
		if (this.type === "text") return body;
		this.#label.textContent = blockName(this.type);
		return el("details", {
			class: this.type === "thinking" ? "fold thinking" : "fold raw",
			children: [el("summary", { children: [icon("chevron-right"), this.#label] }), body],
		});
	}
}

import type { BlockChange, CallView } from "#protocol/panel.ts";
import { CallBlock } from "./call-block.ts";
import { el, icon } from "./dom.ts";
import { MarkdownView } from "./markdown/view.ts";
import type { MessageRooms } from "./message-actions.ts";
import { PlainText } from "./plain-text.ts";
import { clockWords } from "./words.ts";

/** One block of a reply in the document, made and changed by {@link BlockChange}s of its key. */
export class BlockElement {
	readonly element: HTMLElement;
	readonly index: number;
	/** The service's name for it. */
	readonly type: string;
	readonly #begin: () => CallBlock;
	/** The call that the block is, once the host has said so, in place of the body. */
	#call: CallBlock | undefined;
	#view: CallView | undefined;
	/** Duration of a thinking block so far, as measured by the host. Milliseconds. */
	#thoughtMs: number | undefined;
	readonly #label = el("span", { class: "fold-label one-line" });
	#body: MarkdownView | PlainText;
	#text = "";
	#open = true;
	/**
	 * True if it got text after its end: it stays open until the reply ends, or each late piece would draw all of it
	 * again.
	 */
	#late = false;

	/** `message` is the reply that it is of. */
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

	/** Text for a copy of the reply; empty for blocks that are not part of the answer. */
	get answer(): string {
		return this.type === "text" ? this.#text : "";
	}

	/** Time that was spent on thinking in it, in milliseconds; 0 where it is none. */
	get thoughtMs(): number {
		return this.#thoughtMs ?? 0;
	}

	/** True while the reply waits for the call that the block is. */
	get isCalling(): boolean {
		return this.#call?.isActive ?? false;
	}

	change(change: BlockChange): void {
		this.#view = change.call ?? this.#view;
		if (this.#view !== undefined) {
			this.#changeCall(change, this.#view);
			return;
		}
		this.#thoughtMs = change.thoughtMs ?? this.#thoughtMs;
		if (change.mode === "append") this.#append(change.text);
		else this.#replace(change.text);
		if (!change.open && !this.#late) this.close();
	}

	#changeCall({ mode, text, open }: BlockChange, view: CallView): void {
		if (this.#call === undefined) {
			this.#call = this.#begin();
			this.element.replaceChildren(this.#call.element);
		}
		this.#text = mode === "append" ? this.#text + text : text;
		this.#call.update(view, this.#text);
		if (!open) this.close();
	}

	/** No more text will come: the body is finished, the mark of writing goes. */
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

	#append(text: string): void {
		if (text === "") return;
		// A delta for a block that was closed is late, not wrong: nothing received may be lost.
		if (!this.#open) {
			this.#late = true;
			this.#reopen();
			this.#body.append(this.#text);
		}
		this.#text += text;
		this.#body.append(text);
	}

	#replace(text: string): void {
		if (this.#open && text.startsWith(this.#text)) {
			this.#append(text.slice(this.#text.length));
			return;
		}
		this.#reopen();
		this.#text = text;
		this.#body.append(text);
	}

	#reopen(): void {
		const fresh = this.#makeBody();
		this.#body.element.replaceWith(fresh.element);
		this.#body = fresh;
		this.#open = true;
		this.element.classList.add("open");
	}

	#makeBody(): MarkdownView | PlainText {
		return this.type === "text" ? new MarkdownView() : new PlainText();
	}

	#frame(body: HTMLElement): HTMLElement {
		if (this.type === "text") return body;
		this.#label.textContent = this.type === "thinking" ? "Thinking" : this.type;
		return el("details", {
			class: this.type === "thinking" ? "fold thinking" : "fold raw",
			children: [el("summary", { children: [icon("chevron-right"), this.#label] }), body],
		});
	}
}

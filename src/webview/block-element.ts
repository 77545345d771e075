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

	/** Its text as markdown, of which a part may not be built yet. */
	get markdown(): MarkdownView | undefined {
		return this.#body instanceof MarkdownView ? this.#body : undefined;
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

	change({ mode, text, open, thoughtMs, call }: BlockChange): void {
		this.#view = call ?? this.#view;
		this.#thoughtMs = thoughtMs ?? this.#thoughtMs;
		// A long text is not compared for each piece that it gets.
		const isMore = mode === "append" || text.startsWith(this.#text);
		const more = mode === "append" ? text : text.slice(this.#text.length);
		this.#text = mode === "append" ? this.#text + text : text;
		if (this.#view === undefined) this.#show(isMore ? more : undefined);
		else this.#showCall(this.#view);
		if (!open) this.close();
	}

	#showCall(view: CallView): void {
		if (this.#call === undefined) {
			this.#call = this.#begin();
			this.element.replaceChildren(this.#call.element);
		}
		this.#call.update(view, this.#text);
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

	/** Adds more text to the body, or draws all of it where it was finished, or is another one (undefined). */
	#show(more: string | undefined): void {
		if (more === "") return;
		const goesOn = this.#open && more !== undefined;
		if (!goesOn) this.#reopen();
		this.#body.append(goesOn ? more : this.#text);
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

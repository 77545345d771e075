import type { Clock } from "#base/clock.ts";
import type { BlockChange } from "#protocol/panel.ts";
import { el, icon } from "./dom.ts";
import { MarkdownView } from "./markdown/view.ts";
import { PlainText } from "./plain-text.ts";
import { clockWords } from "./words.ts";

/** View of the text of a block: fed in pieces, told once when no more will come. */
interface Body {
	readonly element: HTMLElement;
	append(text: string): void;
	end(): void;
}

/** One block of a reply in the document, made and changed by {@link BlockChange}s of its key. */
export class BlockView {
	readonly element: HTMLElement;
	readonly index: number;
	/** The service's name for it. */
	readonly type: string;
	readonly #clock: Clock;
	readonly #startedAt: number | undefined;
	readonly #label = el("span", { class: "fold-label" });
	#body: Body;
	#text = "";
	#open = true;
	/** It got text after its end: it stays open until the reply ends, or each late piece would draw all of it again. */
	#late = false;

	/** `live` says that the block begins now, so that the time it takes can be told; a replayed one has no beginning. */
	constructor(change: Omit<BlockChange, "mode" | "text">, clock: Clock, live: boolean) {
		this.index = change.index;
		this.type = change.type;
		this.#clock = clock;
		this.#startedAt = live ? clock.monotonic() : undefined;
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

	/** All text that has come. */
	get text(): string {
		return this.#text;
	}

	change(change: Pick<BlockChange, "mode" | "text" | "open">): void {
		if (change.mode === "append") this.#append(change.text);
		else this.#replace(change.text);
		if (!change.open && !this.#late) this.close();
	}

	/** No more text will come: the body is finished, the mark of writing goes. */
	close(): void {
		if (!this.#open) return;
		this.#open = false;
		this.#body.end();
		this.element.classList.remove("open");
		if (this.type === "thinking") {
			const spent = this.#startedAt === undefined ? undefined : this.#clock.monotonic() - this.#startedAt;
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

	#makeBody(): Body {
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

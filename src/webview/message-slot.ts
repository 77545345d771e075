import type { Clock } from "#base/clock.ts";
import type { BlockChange, MessageView } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import { PlainText } from "./plain-text.ts";
import { type ReplyEvents, type ReplyHead, ReplyView } from "./reply-view.ts";
import { TurnView } from "./turn-view.ts";

/** Characters of markdown that are built in one step: a few milliseconds' work. */
export const STEP_CHARS = 8192;

/** Rooms that messages are built with. */
export interface SlotParts {
	readonly clock: Clock;
	readonly events: ReplyEvents;
}

/**
 * The article of a message, which is there from the beginning, and what is inside it, which is built when it comes near
 * the reader, step by step. Until then its bare text stands there, for search and for assistive technology.
 */
export class MessageSlot {
	readonly article: HTMLElement;
	/** Counts up whenever what is inside changes. */
	version = 0;
	/** True while it is in sight or about to be. */
	near = false;
	readonly #parts: SlotParts;
	#message: MessageView;
	#view: TurnView | ReplyView | undefined;
	/** Building steps that are left, in order. */
	#steps: (() => void)[] = [];

	constructor(message: MessageView, parts: SlotParts) {
		this.#message = message;
		this.#parts = parts;
		const isTurn = message.role === "user";
		this.article = el("article", {
			class: isTurn ? "message turn" : "message reply",
			attributes: {
				"data-id": message.id,
				"data-role": message.role,
				"aria-label": isTurn ? "You" : `Reply from ${message.model}`,
				tabindex: "-1",
			},
		});
		this.#empty();
	}

	get id(): string {
		return this.#message.id;
	}

	/** The message without what has come of its blocks since. */
	get message(): MessageView {
		return this.#message;
	}

	/** The text as it came. */
	get source(): string {
		if (this.#message.role === "user") return this.#message.text;
		return this.#message.blocks.map(({ text }) => text).join("\n\n");
	}

	/** The characters of all that has come of it. */
	get size(): number {
		if (!(this.#view instanceof ReplyView)) return this.source.length;
		return this.#view.blocks().reduce((chars, { text }) => chars + text.length, 0);
	}

	/** True while more of it may come. */
	get live(): boolean {
		return this.#message.role === "assistant" && this.#message.phase.name !== "ended";
	}

	/** True once something of it is built, and its bare text gone. */
	get begun(): boolean {
		return this.#view !== undefined;
	}

	/** True once nothing is left to be built. */
	get built(): boolean {
		return this.#view !== undefined && this.#steps.length === 0;
	}

	/** True where nobody would miss what is inside: nothing there is focused, selected or unfolded. */
	get releasable(): boolean {
		const { article } = this;
		if (!this.built || this.live || this.near || article.contains(document.activeElement)) return false;
		const selection = document.getSelection();
		const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(article, true);
		return !isSelected && article.querySelector("details[open], .turn-editor") === null;
	}

	/** Does the next step of building; true when it was the last. */
	step(): boolean {
		this.version += 1;
		if (this.#view === undefined) this.#begin();
		this.#steps.shift()?.();
		if (this.#steps.length > 0) return false;
		// What its end says takes its blocks into account.
		if (this.#view instanceof ReplyView && this.#message.role === "assistant") this.#view.update(this.#message);
		return true;
	}

	/** Builds all that is left. */
	finish(): void {
		while (!this.built) this.step();
	}

	/** It is out of sight: an engine may leave it out when it is. */
	settle(isOut = true): void {
		this.article.classList.toggle("settled", isOut && !this.live);
	}

	/** Shows all of it, where it was collapsed. */
	expand(): void {
		if (this.#view?.collapsed) this.#view.toggle();
	}

	/** Puts an editor in place of a turn's text. */
	edit(): void {
		this.finish();
		if (this.#view instanceof TurnView) this.#view.edit();
	}

	/** Takes new text of a reply: shown at once where all before it is built, else in its turn. */
	change(changes: readonly BlockChange[]): void {
		if (this.#view === undefined) this.#begin();
		this.version += 1;
		if (!(this.#view instanceof ReplyView)) return;
		if (this.built) this.#view.change(changes);
		else for (const change of changes) this.#queue(this.#view, change);
	}

	/** Takes a reply's header, phase and footer; whether the reply has ended by that, or goes on. */
	update(head: ReplyHead): boolean {
		if (this.#message.role === "user") return false;
		const wasLive = this.live;
		this.#message = { ...head, blocks: this.#message.blocks };
		if (this.built && this.#view instanceof ReplyView) this.#view.update(head);
		return wasLive !== this.live;
	}

	/** Puts the bare text back in place of what was built. */
	release(): void {
		if (this.#message.role === "assistant" && this.#view instanceof ReplyView) {
			this.#message = { ...this.#message, blocks: this.#view.blocks() };
		}
		this.dispose();
		this.#empty();
		this.settle();
	}

	dispose(): void {
		if (this.#view instanceof ReplyView) this.#view.dispose();
		this.#view = undefined;
		this.#steps = [];
	}

	#empty(): void {
		this.version += 1;
		const text = new PlainText("unbuilt");
		text.append(this.source);
		this.article.replaceChildren(text.element);
	}

	#begin(): void {
		const { article } = this;
		const message = this.#message;
		article.replaceChildren();
		if (message.role === "user") {
			this.#view = new TurnView(message, article, this.#parts.events);
			return;
		}
		const { blocks, ...head } = message;
		const reply = new ReplyView(head, { article, ...this.#parts });
		this.#view = reply;
		for (const block of blocks) this.#queue(reply, { ...block, mode: "append" });
	}

	/** Queues the steps of a change. A replacement stays whole: its first part alone would take away the text on screen. */
	#queue(reply: ReplyView, change: BlockChange): void {
		const { mode, text } = change;
		const length = mode === "append" ? STEP_CHARS : Math.max(1, text.length);
		let at = 0;
		do {
			const part = text.slice(at, at + length);
			at += length;
			const open = change.open || at < text.length;
			this.#steps.push(() => reply.change([{ ...change, text: part, open }]));
		} while (at < text.length);
	}
}

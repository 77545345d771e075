import type { BlockChange, MessageView } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import type { MessagePlace } from "./host.ts";
import type { MessageRooms } from "./message-actions.ts";
import { PlainText } from "./plain-text.ts";
import { ReplyArticle, type ReplyHead } from "./reply-article.ts";
import { TurnArticle } from "./turn-article.ts";

/**
 * The article of a message, which is there from the beginning, and what is inside it, which is built when it comes near
 * the reader. Until then its bare text stands there, for search and for assistive technology.
 */
export class MessageSlot {
	readonly place: MessagePlace;
	readonly article: HTMLElement;
	/** Counts up whenever what is inside changes. */
	version = 0;
	readonly #rooms: MessageRooms;
	/** The message without what has come of its blocks since. */
	message: MessageView;
	#view: TurnArticle | ReplyArticle | undefined;

	constructor(message: MessageView, conversation: string, rooms: MessageRooms) {
		this.place = { conversation, message: message.id };
		this.message = message;
		this.#rooms = rooms;
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
		this.article.classList.toggle("collapsed", rooms.saved.isCollapsed(this.place));
		const text = new PlainText("unbuilt");
		text.append(this.source);
		this.article.append(text.element);
	}

	/** The text as it came. */
	get source(): string {
		if (this.message.role === "user") return this.message.text;
		return this.message.blocks.map(({ text, call }) => call?.title ?? text).join("\n\n");
	}

	/** True while more of it may come. */
	get live(): boolean {
		return this.message.role === "assistant" && this.message.phase.name !== "ended";
	}

	/** True once it is built, and its bare text gone. */
	get built(): boolean {
		return this.#view instanceof ReplyArticle ? this.#view.built : this.#view !== undefined;
	}

	/** Builds its content: of a long reply a step, from its end backwards, but first where the block with this number is. */
	build(block?: number): void {
		if (this.built) return;
		const isBegun = this.#view instanceof ReplyArticle;
		if (this.#view instanceof ReplyArticle) this.#view.build(block);
		else this.#begin();
		// Until all is built, a search goes by what stood there at first.
		if (!isBegun || this.built) this.version += 1;
	}

	#begin(): void {
		this.article.replaceChildren();
		if (this.message.role === "user") {
			this.#view = new TurnArticle(this.message, this, this.#rooms);
			return;
		}
		const { blocks, ...head } = this.message;
		const reply = new ReplyArticle(head, this, this.#rooms);
		this.#view = reply;
		reply.change(blocks.map((block) => ({ ...block, mode: "append" })));
		// The line at its end takes its blocks into account.
		reply.update(head);
	}

	/** Marks it as out of sight, so that the browser may skip its rendering. */
	settle(isOut = true): void {
		this.article.classList.toggle("settled", isOut && !this.live);
	}

	/** Shows all of it, where it was collapsed. */
	expand(): void {
		if (this.#view?.collapsed) this.#view.toggle();
	}

	/** Puts an editor in place of a turn's text. */
	edit(): void {
		this.build();
		if (this.#view instanceof TurnArticle) this.#view.edit();
	}

	/** Takes new text of a reply. */
	change(changes: readonly BlockChange[]): void {
		if (this.#view === undefined) this.build();
		this.version += 1;
		if (this.#view instanceof ReplyArticle) this.#view.change(changes);
	}

	/** Takes a reply's header, phase and footer; true if the reply has ended by that, or goes on again. */
	update(head: ReplyHead): boolean {
		if (this.message.role === "user") return false;
		const wasLive = this.live;
		this.message = { ...head, blocks: this.message.blocks };
		if (this.#view instanceof ReplyArticle) this.#view.update(head);
		return wasLive !== this.live;
	}
}

import type { BlockChange, MessageView } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import type { MessagePlace } from "./host.ts";
import type { MessageArticle, MessageRooms } from "./message-actions.ts";
import { staticText } from "./plain-text.ts";
import { ReplyArticle, type ReplyHead } from "./reply-article.ts";
import { TurnArticle } from "./turn-article.ts";

/** Article of a message. Its content is built when it comes near the view; until then it has the bare text, for search. */
export class MessageSlot implements MessageArticle {
	readonly place: MessagePlace;
	readonly article: HTMLElement;
	version = 0;
	readonly #rooms: MessageRooms;
	/** The message without later changes of its blocks. */
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
		this.article.append(staticText(this.source, "unbuilt"));
	}

	get source(): string {
		if (this.message.role === "user") return this.message.text;
		return this.message.blocks.map(({ text, call }) => call?.title ?? text).join("\n\n");
	}

	get live(): boolean {
		return this.message.role === "assistant" && this.message.phase.name !== "ended";
	}

	/** True once all content is built. */
	get built(): boolean {
		return this.#view instanceof ReplyArticle ? this.#view.built : this.#view !== undefined;
	}

	/** Builds its content: of a long reply a step, backwards from its end, but first the part with this block. */
	build(block?: number): void {
		if (this.built) return;
		const begun = this.#view instanceof ReplyArticle ? this.#view : undefined;
		if (begun === undefined) this.#begin();
		else begun.build(block);
		// Until all is built, a search uses the first state.
		if (begun === undefined || this.built) this.version += 1;
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
		// Its last line depends on its blocks.
		reply.update(head);
	}

	/** Lets the browser skip its rendering while it is out of view. */
	settle(isOut = true): void {
		this.article.classList.toggle("settled", isOut && !this.live);
	}

	get collapsed(): boolean {
		return this.article.classList.contains("collapsed");
	}

	toggle(): void {
		this.#rooms.saved.collapse(this.place, this.article.classList.toggle("collapsed"));
		this.#view?.folded();
	}

	expand(): void {
		if (this.collapsed) this.toggle();
	}

	/** Puts an editor in place of a turn's text. */
	edit(): void {
		this.build();
		if (this.#view instanceof TurnArticle) this.#view.edit();
	}

	change(changes: readonly BlockChange[]): void {
		if (this.#view === undefined) this.build();
		this.version += 1;
		if (this.#view instanceof ReplyArticle) this.#view.change(changes);
	}

	/** Applies a reply's header, phase and footer; true if the reply ended or resumed by that. */
	update(head: ReplyHead): boolean {
		if (this.message.role === "user") return false;
		const wasLive = this.live;
		this.message = { ...head, blocks: this.message.blocks };
		if (this.#view instanceof ReplyArticle) this.#view.update(head);
		return wasLive !== this.live;
	}
}

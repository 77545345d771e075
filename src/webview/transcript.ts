import type { Clock } from "#base/clock.ts";
import type { BlockChange, ConversationView, MessageView } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import { type ReplyEvents, type ReplyHead, ReplyView } from "./reply-view.ts";
import { turnView } from "./turn-view.ts";

/** The articles of one conversation, in the order the host gives them. */
export class Transcript {
	readonly element = el("div", { class: "column" });
	readonly #clock: Clock;
	readonly #events: ReplyEvents;
	readonly #replies = new Map<string, ReplyView>();
	readonly #articles = new Map<string, HTMLElement>();
	#conversation = "";

	constructor(clock: Clock, events: ReplyEvents) {
		this.#clock = clock;
		this.#events = events;
	}

	get empty(): boolean {
		return this.#articles.size === 0;
	}

	/** The id of the conversation shown; messages of any other are not for this view. */
	get conversation(): string {
		return this.#conversation;
	}

	/** Shows a conversation from nothing, half-way replies included. */
	show(conversation: ConversationView): void {
		for (const reply of this.#replies.values()) reply.dispose();
		this.#replies.clear();
		this.#articles.clear();
		this.element.replaceChildren();
		this.#conversation = conversation.id;
		for (const message of conversation.messages) this.put(message);
	}

	/** Adds a message, or puts it in place of the one with its id. */
	put(message: MessageView): void {
		if (message.role === "user") {
			this.#place(message.id, turnView(message, this.#events));
			return;
		}
		const { blocks, ...head } = message;
		this.#replies.get(message.id)?.dispose();
		const reply = new ReplyView(head, this.#clock, this.#events);
		this.#replies.set(message.id, reply);
		// Into the document first: a long table measures its columns while it grows.
		this.#place(message.id, reply.element);
		reply.change(blocks.map((block) => ({ ...block, mode: "append" })));
	}

	/** Applies a batch to a reply; false when the reply is not known here. */
	change(message: string, changes: readonly BlockChange[]): boolean {
		const reply = this.#replies.get(message);
		reply?.change(changes);
		return reply !== undefined;
	}

	/** Updates a reply's header, phase and footer; false when the reply is not known here. */
	update(head: ReplyHead): boolean {
		const reply = this.#replies.get(head.id);
		reply?.update(head);
		return reply !== undefined;
	}

	#place(id: string, article: HTMLElement): void {
		const old = this.#articles.get(id);
		if (old === undefined) this.element.append(article);
		else old.replaceWith(article);
		this.#articles.set(id, article);
	}
}

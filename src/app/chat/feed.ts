import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import type { ComposerView, ToPanel } from "#protocol/panel.ts";
import type { DescribeEnding } from "../ports.ts";
import { BlockBatcher } from "./batcher.ts";
import type { Conversations } from "./conversations.ts";
import type { ChatSession, SessionEvent } from "./session.ts";
import { conversationView, messageView, replyView, thoughtMsOf } from "./view.ts";

/** What a feed works with. */
export interface FeedParts {
	readonly conversations: Conversations;
	readonly clock: Clock;
	readonly describe: DescribeEnding;
	/** Where the next message would go. */
	readonly composer: () => Omit<ComposerView, "busy">;
	/** Posts a message, secrets removed from each of its texts. */
	readonly post: (message: ToPanel) => void;
	/** Whether a text holds a secret. */
	readonly isSecret: (text: string) => boolean;
}

/**
 * Keeps one panel equal to the conversation on screen. While the panel is not there to listen nothing is posted: when
 * it says `ready` it gets the whole state, and from then on only what changes.
 */
export class PanelFeed implements Disposable {
	readonly #parts: FeedParts;
	readonly #batcher: BlockBatcher;
	readonly #held = new DisposableStore();
	#session: ChatSession;
	#subscription: Disposable;
	#listening = false;

	constructor(parts: FeedParts) {
		this.#parts = parts;
		this.#batcher = new BlockBatcher(parts.clock, (batch) =>
			parts.post({ type: "blocks", conversation: this.#session.id, ...batch }),
		);
		this.#session = parts.conversations.active;
		this.#subscription = this.#session.onDidChange((event) => this.#pass(event));
		this.#held.add(parts.conversations.onDidShow((session) => this.#follow(session)));
	}

	/** The panel has been built, or built again: it gets everything. */
	ready(): void {
		this.#listening = true;
		this.#replay();
	}

	/** The panel has gone out of sight and loses what is posted to it. */
	gone(): void {
		this.#listening = false;
		this.#batcher.reset();
	}

	acknowledge(batch: number): void {
		this.#batcher.acknowledge(batch);
	}

	/** Where a message would go has changed. */
	composerChanged(): void {
		if (this.#listening) this.#parts.post({ type: "composer", composer: this.#composer() });
	}

	dispose(): void {
		this.#listening = false;
		this.#subscription.dispose();
		this.#batcher.dispose();
		this.#held.dispose();
	}

	#follow(session: ChatSession): void {
		this.#subscription.dispose();
		this.#session = session;
		this.#subscription = session.onDidChange((event) => this.#pass(event));
		if (this.#listening) this.#replay();
	}

	#replay(): void {
		this.#batcher.reset();
		const conversation = conversationView(this.#session, this.#composer(), this.#lens());
		this.#parts.post({ type: "conversation", conversation });
	}

	#pass(event: SessionEvent): void {
		if (!this.#listening) return;
		const conversation = this.#session.id;
		switch (event.type) {
			case "block":
				this.#batcher.push(event.entry.id, event.delta, thoughtMsOf(event.entry, event.delta.block.key));
				return;
			case "appended":
				this.#parts.post({ type: "message", conversation, message: messageView(event.entry, this.#lens()) });
				this.composerChanged();
				return;
			case "reply":
				if (event.entry.ended !== undefined) this.#batcher.flush();
				this.#parts.post({ type: "reply", conversation, reply: replyView(event.entry, this.#lens()) });
				if (event.entry.ended === undefined) return;
				// A secret that came in pieces passed in pieces; the whole is replaced by what may be shown of it.
				if (event.entry.reply?.blocks.some(({ text }) => this.#parts.isSecret(text))) this.#replay();
				else this.composerChanged();
				return;
			case "replaced":
				this.#replay();
				return;
		}
	}

	#composer(): ComposerView {
		return { ...this.#parts.composer(), busy: this.#session.busy };
	}

	#lens() {
		return { now: this.#parts.clock.monotonic(), describe: this.#parts.describe };
	}
}

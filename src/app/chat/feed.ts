import type { BlockDelta } from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { BlockChanges, type ReplyChanges } from "#protocol/block-changes.ts";
import type { AttachmentView } from "#protocol/context.ts";
import type { BlockChange, ComposerView, ContextToHost, ToPanel } from "#protocol/panel.ts";
import type { DescribeEnding } from "../ports.ts";
import { attachmentView } from "./attachments.ts";
import type { Entry, ReplyEntry } from "./conversation.ts";
import type { Conversations } from "./conversations.ts";
import type { DraftChange, Drafts } from "./drafts.ts";
import { isUnsure, joinedDelta, partsOf } from "./parts.ts";
import type { ChatSession, SessionEvent } from "./session.ts";
import { blockFacts, conversationView, type Lens, messageView, queueView, replyView } from "./view.ts";

/** Collaborators of a feed. */
export interface FeedParts {
	readonly conversations: Conversations;
	readonly clock: Clock;
	readonly describe: DescribeEnding;
	/** View of the target of the next message. */
	readonly composer: (session: ChatSession) => Omit<ComposerView, "busy" | "title">;
	/** Drafts of the conversations. */
	readonly drafts: Drafts;
	/** Posts a message, secrets removed from each of its texts. */
	readonly post: (message: ToPanel) => void;
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
		this.#held.add(parts.drafts.onDidChange((id) => this.#attached(id)));
		this.#held.add(parts.drafts.onDidWrite((written) => this.#written(written)));
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

	/** Keeps the text typed in the panel, and shows it in the others. The last one written wins. */
	typed({ conversation, text }: Omit<Extract<ContextToHost, { type: "draft" }>, "type">): void {
		this.#parts.drafts.write(conversation, text, this);
	}

	/** Handles an edit of a turn that was typed, sent or left in the page. */
	edited({ conversation, message, text }: Omit<Extract<ContextToHost, { type: "edit" }>, "type">): void {
		const { drafts } = this.#parts;
		const { edits } = drafts.of(conversation);
		// A late event of a released conversation must not replace its draft on the disk.
		if (conversation === this.#session.id || edits !== undefined) drafts.edit(conversation, message, text);
	}

	/** Posts the composer's view again. */
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
		const { id } = this.#session;
		const draft = { ...this.#parts.drafts.of(id), attachments: this.#chips() };
		const conversation = conversationView(this.#session, this.#composer(), this.#lens());
		this.#parts.post({ type: "conversation", conversation: { ...conversation, draft } });
	}

	#attached(conversation: string): void {
		if (!this.#listening || conversation !== this.#session.id) return;
		this.#parts.post({ type: "attachments", conversation, attachments: this.#chips() });
		this.composerChanged();
	}

	/** Shows in this panel what is typed in another. */
	#written({ conversation, text, by }: DraftChange): void {
		if (!this.#listening || by === this || conversation !== this.#session.id) return;
		this.#parts.post({ type: "typed", conversation, text });
	}

	#chips(): readonly AttachmentView[] {
		return this.#parts.drafts.of(this.#session.id).attachments.map(attachmentView);
	}

	#pass(event: SessionEvent): void {
		if (!this.#listening) return;
		const conversation = this.#session.id;
		switch (event.type) {
			case "block": {
				const { entry, delta } = event;
				const parts = this.#partsOf(entry);
				const [shown] = parts;
				if (shown === undefined) return;
				this.#batcher.push(shown.id, joinedDelta(delta, parts), blockFacts(delta.block, entry));
				return;
			}
			case "appended":
				this.#append(event.entry);
				this.composerChanged();
				return;
			case "reply": {
				const parts = this.#partsOf(event.entry);
				const hasEnded = event.entry.ended !== undefined;
				if (parts.length > 0) this.#postReply(event.entry);
				if (!hasEnded) return;
				if (isUnsure(parts)) this.#replay();
				else this.composerChanged();
				return;
			}
			case "queue":
				this.#postInTurn({ type: "queue", conversation, queue: queueView(this.#session) });
				return;
			case "facts":
			case "read-only":
				this.composerChanged();
				return;
			case "replaced":
				this.#replay();
				return;
			default:
				event satisfies never;
		}
	}

	#append(entry: Entry): void {
		// A round of a version that is not on screen; a version that comes on screen replaces everything.
		if (this.#session.entries.at(-1) !== entry) return;
		const parts = this.#partsOf(entry);
		if (entry.role === "assistant" && parts.length > 1) {
			// The part before it may have ended unheard, as tools were called.
			if (isUnsure(parts.slice(0, -1))) this.#replay();
			else this.#postReply(entry);
			return;
		}
		this.#passBy(entry);
		const message = messageView(entry, this.#lens());
		this.#postInTurn({ type: "message", conversation: this.#session.id, message });
	}

	/** Parts of a reply on screen; none for a reply in a version that is not on screen. */
	#partsOf({ id }: Entry): readonly ReplyEntry[] {
		return partsOf(id, this.#session.entries);
	}

	/** The conversation goes on from the reply that an entry follows: its buttons are over. */
	#passBy({ parent }: Entry): void {
		const before = this.#session.entries.findLast(({ id }) => id === parent);
		if (before?.role === "assistant") this.#postReply(before);
	}

	#postReply(entry: ReplyEntry): void {
		this.#postInTurn({ type: "reply", conversation: this.#session.id, reply: replyView(entry, this.#lens()) });
	}

	/** Posts a message behind the text that came before it. */
	#postInTurn(message: ToPanel): void {
		this.#batcher.flush();
		this.#parts.post(message);
	}

	#composer(): ComposerView {
		const { busy, entries, title, isReadOnly } = this.#session;
		return {
			...{ ...this.#parts.composer(this.#session), busy },
			...(isReadOnly ? { isElsewhere: true } : {}),
			...(entries.length === 0 ? {} : { title }),
		};
	}

	#lens(): Lens {
		return { now: this.#parts.clock.monotonic(), describe: this.#parts.describe, session: this.#session };
	}
}

/** The panel gets at most one batch in this many milliseconds. */
export const BATCH_INTERVAL_MS = 8;

/**
 * Batches that may be on their way without an answer; beyond it, changes are merged until one is acknowledged. The panel
 * answers once a frame, which is two batches.
 */
export const MAX_UNACKNOWLEDGED = 3;

/** A batch on its way: what changed in the blocks of one reply. */
export interface Batch extends ReplyChanges {
	readonly batch: number;
}

/**
 * Decides when block changes travel: at once if the last batch is 8 ms old, else 8 ms after it; one merged string per
 * block; at most 3 batches unanswered, so that a panel that is slow to draw is never flooded and catches up in one go.
 * Any other message first flushes the changes before it, so that order is kept.
 */
export class BlockBatcher implements Disposable {
	readonly #clock: Clock;
	readonly #post: (batch: Batch) => void;
	readonly #pending = new BlockChanges();
	#timer: Disposable | undefined;
	#sent = 0;
	#acknowledged = 0;
	#lastSentAt = Number.NEGATIVE_INFINITY;

	constructor(clock: Clock, post: (batch: Batch) => void) {
		this.#clock = clock;
		this.#post = post;
	}

	/** Takes a change of a block, with how long it has been thinking and its call, and sends it when its time has come. */
	push(message: string, delta: BlockDelta, facts: Pick<BlockChange, "thoughtMs" | "call"> = {}): void {
		this.#pending.add(message, { ...changeOf(delta), ...facts });
		this.#schedule();
	}

	/** Sends all changes taken so far, so that what is posted next comes behind them. */
	flush(): void {
		if (!this.#pending.empty) this.#send();
	}

	/** The panel has drawn the batch of that number and all before it. */
	acknowledge(batch: number): void {
		if (batch > this.#sent) return;
		this.#acknowledged = Math.max(this.#acknowledged, batch);
		this.#schedule();
	}

	/** Forgets what waits and what is unanswered: the panel has just been given the whole state. */
	reset(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		this.#pending.clear();
		this.#acknowledged = this.#sent;
	}

	dispose(): void {
		this.reset();
	}

	#schedule(): void {
		if (this.#pending.empty || this.#sent - this.#acknowledged >= MAX_UNACKNOWLEDGED) return;
		const wait = this.#lastSentAt + BATCH_INTERVAL_MS - this.#clock.monotonic();
		// A timer fires up to a millisecond late, and later on a busy machine; the next change may come before it.
		if (wait <= 0) this.#send();
		else this.#timer ??= this.#clock.after(wait, () => this.#send());
	}

	#send(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		this.#lastSentAt = this.#clock.monotonic();
		for (const changes of this.#pending.take()) {
			this.#sent++;
			this.#post({ batch: this.#sent, ...changes });
		}
	}
}

function changeOf({ block, appended }: BlockDelta): BlockChange {
	const { key, index, type, open } = block;
	return appended === null
		? { key, index, type, open, mode: "replace", text: block.text }
		: { key, index, type, open, mode: "append", text: appended };
}

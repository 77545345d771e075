import type { BlockDelta } from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { BlockChanges, type ReplyChanges } from "#protocol/block-changes.ts";
import type { AttachmentView } from "#protocol/context.ts";
import type { BlockChange, ComposerView, ContextToHost, ToPanel } from "#protocol/panel.ts";
import type { DescribeEnding } from "../ports.ts";
import { attachmentView } from "./attachments.ts";
import type { SessionEvent } from "./changes.ts";
import type { Entry, ReplyEntry } from "./conversation.ts";
import type { Conversations } from "./conversations.ts";
import type { Drafts } from "./drafts.ts";
import { isUnsure, joinedDelta, partsOf } from "./parts.ts";
import type { ChatSession } from "./session.ts";
import { blockFacts, conversationView, type Lens, messageView, queueView, replyView } from "./view.ts";

/** Collaborators of a feed. */
export interface FeedParts {
	readonly conversations: Conversations;
	readonly clock: Clock;
	readonly describe: DescribeEnding;
	readonly composer: (session: ChatSession) => Omit<ComposerView, "busy" | "title">;
	readonly drafts: Drafts;
	readonly post: (message: ToPanel) => void;
}

/** Keeps a panel up to date with the conversation on screen: after `ready` it gets the whole state, and then changes. */
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
		this.#held.add(
			parts.drafts.onDidWrite(({ conversation, text, by }) => {
				if (!this.#listening || by === this || conversation !== this.#session.id) return;
				parts.post({ type: "typed", conversation, text });
			}),
		);
	}

	/** Sends everything to a panel that was built. */
	ready(): void {
		this.#listening = true;
		this.#replay();
	}

	/** Stops posting to a hidden panel. */
	gone(): void {
		this.#listening = false;
		this.#batcher.reset();
	}

	acknowledge(batch: number): void {
		this.#batcher.acknowledge(batch);
	}

	/** Stores the text typed in the panel, and shows it in the others. */
	typed({ conversation, text }: Omit<Extract<ContextToHost, { type: "draft" }>, "type">): void {
		this.#parts.drafts.write(conversation, text, this);
	}

	/** Stores the edit of a turn. */
	edited({ conversation, message, text }: Omit<Extract<ContextToHost, { type: "edit" }>, "type">): void {
		const { drafts } = this.#parts;
		const { edits } = drafts.of(conversation);
		// A late event must not replace the draft of a released conversation on the disk.
		if (conversation === this.#session.id || edits !== undefined) drafts.edit(conversation, message, text);
	}

	/** Posts the composer's view again. */
	composerChanged(): void {
		if (this.#listening) this.#parts.post({ type: "composer", composer: this.#composer() });
	}

	dispose(): void {
		this.gone();
		this.#subscription.dispose();
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

	#chips(): readonly AttachmentView[] {
		return this.#parts.drafts.of(this.#session.id).attachments.map(attachmentView);
	}

	#pass(event: SessionEvent) {
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
				return this.composerChanged();
			case "reply": {
				const parts = this.#partsOf(event.entry);
				if (parts.length > 0) this.#postReply(event.entry);
				if (event.entry.ended === undefined) return;
				if (isUnsure(parts)) this.#replay();
				else this.composerChanged();
				return;
			}
			case "queue":
				return this.#postInTurn({ type: "queue", conversation, queue: queueView(this.#session) });
			case "facts":
			case "read-only":
				return this.composerChanged();
			case "replaced":
				return this.#replay();
			default:
				event satisfies never;
		}
	}

	#append(entry: Entry): void {
		// A round of a version that is not on screen.
		if (this.#session.entries.at(-1) !== entry) return;
		const parts = this.#partsOf(entry);
		if (entry.role === "assistant" && parts.length > 1) {
			// The part before it may have ended without an event.
			if (isUnsure(parts.slice(0, -1))) this.#replay();
			else this.#postReply(entry);
			return;
		}
		// The buttons of the reply before it go.
		const before = this.#session.entries.findLast(({ id }) => id === entry.parent);
		if (before?.role === "assistant") this.#postReply(before);
		const message = messageView(entry, this.#lens());
		this.#postInTurn({ type: "message", conversation: this.#session.id, message });
	}

	/** Parts of a reply on screen, if it is there. */
	#partsOf({ id }: Entry): readonly ReplyEntry[] {
		return partsOf(id, this.#session.entries);
	}

	#postReply(entry: ReplyEntry): void {
		this.#postInTurn({ type: "reply", conversation: this.#session.id, reply: replyView(entry, this.#lens()) });
	}

	/** Posts a message after the pending changes. */
	#postInTurn(message: ToPanel): void {
		this.#batcher.flush();
		this.#parts.post(message);
	}

	#composer(): ComposerView {
		const { busy, entries, title, facts, isReadOnly } = this.#session;
		return {
			...this.#parts.composer(this.#session),
			busy,
			...(isReadOnly ? { isElsewhere: true } : {}),
			...(entries.length === 0 || !facts.title ? {} : { title }),
		};
	}

	#lens(): Lens {
		return { now: this.#parts.clock.monotonic(), describe: this.#parts.describe, session: this.#session };
	}
}

/** Minimum interval between batches, in ms. */
export const BATCH_INTERVAL_MS = 8;

/** Maximum number of unacknowledged batches; the panel answers once a frame, which is two batches. */
export const MAX_UNACKNOWLEDGED = 3;

/** Batch of changes of one reply. */
export interface Batch extends ReplyChanges {
	readonly batch: number;
}

/** Batches block changes, merged per block: the first at once, others 8 ms apart, while at most 3 are unacknowledged. */
export class BlockBatcher {
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

	push(message: string, delta: BlockDelta, facts: Pick<BlockChange, "thoughtMs" | "call"> = {}): void {
		this.#pending.add(message, { ...changeOf(delta), ...facts });
		this.#schedule();
	}

	/** Sends all pending changes. */
	flush(): void {
		if (!this.#pending.empty) this.#send();
	}

	/** Records that the panel has drawn this batch and all before it. */
	acknowledge(batch: number): void {
		if (batch > this.#sent) return;
		this.#acknowledged = Math.max(this.#acknowledged, batch);
		this.#schedule();
	}

	/** Clears all pending changes for a panel that gets the whole state. */
	reset(): void {
		this.#timer?.dispose();
		this.#timer = undefined;
		this.#pending.clear();
		this.#acknowledged = this.#sent;
	}

	#schedule(): void {
		if (this.#pending.empty || this.#sent - this.#acknowledged >= MAX_UNACKNOWLEDGED) return;
		const wait = this.#lastSentAt + BATCH_INTERVAL_MS - this.#clock.monotonic();
		// Timers may be late; the next change may come before.
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

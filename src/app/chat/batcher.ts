import type { BlockDelta } from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { BlockChanges, type ReplyChanges } from "#protocol/block-changes.ts";
import type { BlockChange } from "#protocol/panel.ts";

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

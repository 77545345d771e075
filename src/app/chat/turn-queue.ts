import type { ReplyEntry, WaitingTurn } from "./conversation.ts";

/** How one message is sent. */
export type SendOptions = Pick<WaitingTurn, "connection" | "parameters" | "attachments">;

/** A turn in the queue. */
export interface QueuedTurn extends WaitingTurn {
	/** The reply to it when that has ended; undefined once the turn was taken away. */
	readonly reply: Promise<ReplyEntry | undefined>;
}

interface Waiting {
	readonly turn: QueuedTurn;
	readonly settle: (reply: Promise<ReplyEntry> | undefined) => void;
}

/** What waits to be sent, first the next. */
export class TurnQueue {
	readonly #changed: () => void;
	#waiting: readonly Waiting[];

	/** `turns` waited in an earlier window; `changed` is told of each change. */
	constructor(turns: readonly WaitingTurn[], changed: () => void) {
		this.#waiting = turns.map(waiting);
		this.#changed = changed;
	}

	get turns(): readonly QueuedTurn[] {
		return this.#waiting.map(({ turn }) => turn);
	}

	add(turn: WaitingTurn): QueuedTurn {
		const added = waiting(turn);
		this.#set([...this.#waiting, added]);
		return added.turn;
	}

	/** Takes the turn of that id away, or the first, and has it sent by `send`; what it gives is the turn's reply. */
	next(
		send: (turn: QueuedTurn) => Promise<ReplyEntry>,
		id = this.#waiting[0]?.turn.id,
	): Promise<ReplyEntry> | undefined {
		const found = this.#take(id);
		const reply = found && send(found.turn);
		found?.settle(reply);
		return reply;
	}

	/** Takes a turn away unsent; says whether it was there. */
	remove(id: string): boolean {
		const found = this.#take(id);
		found?.settle(undefined);
		return found !== undefined;
	}

	/** Puts what waits according to the disk in place of what waited here. */
	merge(turns: readonly WaitingTurn[]): void {
		const before = this.#waiting;
		this.#waiting = turns.map((turn) => before.find((each) => each.turn.id === turn.id) ?? waiting(turn));
		for (const each of before) if (!this.#waiting.includes(each)) each.settle(undefined);
	}

	/** The window lets go of the conversation: nobody hears of a reply any more. What waits is kept. */
	dispose(): void {
		for (const { settle } of this.#waiting) settle(undefined);
	}

	#take(id: string | undefined): Waiting | undefined {
		const found = this.#waiting.find(({ turn }) => turn.id === id);
		if (found !== undefined) this.#set(this.#waiting.filter((each) => each !== found));
		return found;
	}

	#set(turns: readonly Waiting[]): void {
		this.#waiting = turns;
		this.#changed();
	}
}

function waiting(turn: WaitingTurn): Waiting {
	const { promise, resolve } = Promise.withResolvers<ReplyEntry | undefined>();
	// Not everybody who queues a turn waits for its reply.
	promise.catch(() => undefined);
	return { turn: { ...turn, reply: promise }, settle: resolve };
}

import type { Branches } from "./branches.ts";
import type { Entry, ReplyEntry, WaitingTurn } from "./conversation.ts";
import { goesOn, placeOf } from "./queue-place.ts";

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

/** What of a tree tells where queued turns belong. */
type Places = Pick<Branches, "lineage" | "path" | "shown" | "tip">;

/** What waits to be sent, first the next, and what of it leaves by itself. */
export class TurnQueue {
	readonly #changed: () => void;
	/** What leaves whatever its request carries by then. */
	readonly #free = new Set<string>();
	/** What stays until a person sends it. */
	readonly #held = new Set<string>();
	#waiting: readonly Waiting[];

	/** `turns` waited in an earlier window; `changed` is told of each change. */
	constructor(turns: readonly WaitingTurn[], changed: () => void) {
		this.#waiting = turns.map(waiting);
		this.#changed = changed;
	}

	get turns(): readonly QueuedTurn[] {
		return this.#waiting.map(({ turn }) => turn);
	}

	/** Has a turn wait behind the others. One that `isFree` leaves by itself whatever its request carries by then. */
	add(turn: WaitingTurn, { isFree }: { readonly isFree: boolean }): QueuedTurn {
		if (isFree) this.#free.add(turn.id);
		const added = waiting(turn);
		this.#set([...this.#waiting, added]);
		return added.turn;
	}

	/** What the request of a turn would carry; nothing where it is not there. */
	wayOf(id: string, tree: Places): readonly Entry[] {
		const turn = this.turns.find((each) => each.id === id);
		if (turn === undefined) return [];
		const parent = placeOf(turn, tree)?.id ?? null;
		const { text, attachments = [] } = turn;
		return [...tree.lineage(parent), { role: "user", id, parent, text, attachments, at: 0 }];
	}

	/**
	 * The first that follows a whole reply. What follows one that broke off waits for the person, and so does what the
	 * reply has made too large to leave.
	 */
	ready(tree: Places, mayLeave: (way: readonly Entry[]) => boolean): QueuedTurn | undefined {
		const next = this.turns.find((turn) => goesOn(placeOf(turn, tree)));
		if (next === undefined || this.#held.has(next.id)) return undefined;
		if (this.#free.has(next.id) || mayLeave(this.wayOf(next.id, tree))) return next;
		this.#held.add(next.id);
		return undefined;
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

import type { Outcome } from "#base/reply.ts";
import type { Branches } from "./branches.ts";
import type { Entry, ReplyEntry, WaitingTurn } from "./conversation.ts";

/** Outcomes after which the next turn in the queue is sent; after any other it waits for the person. */
const CONTINUES: ReadonlySet<Outcome> = new Set<Outcome>(["complete", "truncated", "stop-sequence"]);

/** Options of one message. */
export type TurnOptions = Pick<WaitingTurn, "connection" | "parameters" | "attachments">;

/** Reason why a turn waits for a person: the reply that it follows did not come to its end. */
export type Hold = "reply";

/** A turn in the queue. */
export interface QueuedTurn extends WaitingTurn {
	/** The reply to it when that has ended; why it waits where that is for a person; undefined once it was taken away. */
	readonly reply: Promise<ReplyEntry | Hold | undefined>;
}

interface Waiting {
	readonly turn: QueuedTurn;
	readonly settle: (reply: Promise<ReplyEntry> | Hold | undefined) => void;
}

/** Tree of a conversation as far as it places queued turns. */
type Places = Pick<Branches, "lineage" | "path" | "shown" | "tip">;

/** Queue of turns, first the next. */
export class TurnQueue {
	readonly #changed: () => void;
	#waiting: readonly Waiting[];

	/** `turns` waited in an earlier window; `changed` is called on each change. */
	constructor(turns: readonly WaitingTurn[], changed: () => void) {
		this.#waiting = turns.map(waiting);
		this.#changed = changed;
	}

	get turns(): readonly QueuedTurn[] {
		return this.#waiting.map(({ turn }) => turn);
	}

	/** Has a turn wait behind the others. */
	add(turn: WaitingTurn): QueuedTurn {
		const added = waiting(turn);
		this.#set([...this.#waiting, added]);
		return added.turn;
	}

	/** Entries that the request of a turn would carry; none if it is not there. */
	wayOf(id: string, tree: Places): readonly Entry[] {
		const turn = this.turns.find((each) => each.id === id);
		if (turn === undefined) return [];
		const parent = parentOf(turn, tree)?.id ?? null;
		const { text, attachments = [] } = turn;
		return [...tree.lineage(parent), { role: "user", id, parent, text, attachments, at: 0 }];
	}

	/** First turn that follows a whole reply; a turn behind one that broke off waits for the person. */
	ready(tree: Places): QueuedTurn | undefined {
		return this.turns.find((turn) => continuesQueue(parentOf(turn, tree)));
	}

	/** Resolves the callers of all queued turns: those now wait for the person. */
	rest(): void {
		for (const { settle } of this.#waiting) settle("reply");
	}

	/** Takes a turn away and has it sent by `send`; what it gives is the turn's reply. */
	next(send: (turn: QueuedTurn) => Promise<ReplyEntry>, id: string): Promise<ReplyEntry> | undefined {
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

	/** Takes over the queue that another window has written. */
	replace(turns: readonly WaitingTurn[]): void {
		const before = this.#waiting;
		this.#waiting = turns.map((turn) => before.find((each) => each.turn.id === turn.id) ?? waiting(turn));
		for (const each of before) if (!this.#waiting.includes(each)) each.settle(undefined);
	}

	/** Resolves all callers without a reply as the window closes the conversation. The queued turns are kept. */
	dispose(): void {
		for (const { settle } of this.#waiting) settle(undefined);
	}

	#take(id: string): Waiting | undefined {
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
	const { promise, resolve } = Promise.withResolvers<ReplyEntry | Hold | undefined>();
	// Not everybody who queues a turn waits for its reply.
	promise.catch(() => undefined);
	return { turn: { ...turn, reply: promise }, settle: resolve };
}

/** True if a queue is sent by itself behind an entry. */
export function continuesQueue(entry: Entry | undefined): boolean {
	return entry?.role === "assistant" && entry.ended !== undefined && CONTINUES.has(entry.ended.outcome);
}

/**
 * Entry that a queued turn is to follow: the end of the branch that it was queued on, whatever is on screen by now. If
 * that is a reply that broke off, the version of it on screen: it may have been asked for again.
 */
export function parentOf({ after }: WaitingTurn, tree: Pick<Branches, "path" | "shown" | "tip">): Entry | undefined {
	const tip = after === undefined ? undefined : tree.tip(after);
	if (tip === undefined) return tree.path.at(-1);
	const other = continuesQueue(tip) ? undefined : tree.shown(tip.id);
	return other === undefined ? tip : tree.tip(other.id);
}

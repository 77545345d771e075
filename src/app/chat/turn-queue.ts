import { invalid } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import type { Branches } from "./branches.ts";
import type { Entry, ReplyEntry, WaitingTurn } from "./conversation.ts";
import type { ChatParameters } from "./parameters.ts";
import type { Wanted } from "./request-target.ts";

/** Outcomes after which the next queued turn is sent. */
const CONTINUES: ReadonlySet<Outcome> = new Set<Outcome>(["complete", "truncated", "stop-sequence"]);

/** Options of one message. */
export type TurnOptions = Pick<WaitingTurn, "connection" | "parameters" | "attachments"> & Pick<Wanted, "unattended">;

/** Changed connection and parameters of another version; `undefined` removes one. */
export interface AskChange extends Pick<TurnOptions, "connection" | "unattended"> {
	readonly parameters?: { readonly [K in keyof ChatParameters]: ChatParameters[K] | undefined } | undefined;
}

/** A turn in the queue. */
export interface QueuedTurn extends WaitingTurn, Pick<TurnOptions, "unattended"> {
	/** Its ended reply, "reply" if it waits for the person since the one before was not completed, or undefined once removed. */
	readonly reply: Promise<ReplyEntry | "reply" | undefined>;
}

interface Waiting {
	readonly turn: QueuedTurn;
	readonly settle: (reply: Promise<ReplyEntry> | "reply" | undefined) => void;
}

type Places = Pick<Branches, "lineage" | "path" | "shown" | "tip">;

/** Queue of turns, first the next. */
export class TurnQueue {
	readonly #changed: () => void;
	#waiting: readonly Waiting[];
	/** Ids of the turns in {@link demand}, first the next. */
	#demanded: readonly string[] = [];

	/** `turns` are those of an earlier window; `changed` is called on each change. */
	constructor(turns: readonly WaitingTurn[], changed: () => void) {
		this.#waiting = turns.map(waiting);
		this.#changed = changed;
	}

	/** True if a turn is to be sent without a wait for the reply under way. */
	get isDemanded(): boolean {
		return this.#demanded.length > 0;
	}

	get turns(): readonly QueuedTurn[] {
		return this.#waiting.map(({ turn }) => turn);
	}

	/** Queues a turn. */
	add(turn: WaitingTurn & TurnOptions): QueuedTurn {
		const added = waiting(turn);
		this.#set([...this.#waiting, added]);
		return added.turn;
	}

	/** Entries in the request of a turn; none if it is not in the queue. */
	wayOf(id: string, tree: Places): readonly Entry[] {
		const turn = this.turns.find((each) => each.id === id);
		if (turn === undefined) return [];
		const parent = parentOf(turn, tree)?.id ?? null;
		const { text, attachments = [] } = turn;
		return [...tree.lineage(parent), { role: "user", id, parent, text, attachments, at: 0 }];
	}

	/** Makes a turn the next one after those demanded before, whatever the outcome before it. Throws ClientError `invalid` if it is not in the queue. */
	demand(id: string): QueuedTurn {
		const turn = this.turns.find((each) => each.id === id);
		if (turn === undefined) throw invalid("messages", "queued", "is not in the queue");
		this.#demanded = [...new Set([...this.#demanded, id])];
		return turn;
	}

	/** Cancels each {@link demand}. */
	hold(): void {
		this.#demanded = [];
	}

	/** Resolves the callers of all queued turns, which now wait for the person. */
	rest(): void {
		this.hold();
		for (const { settle } of this.#waiting) settle("reply");
	}

	/** Removes and sends the demanded turn, or after a whole reply the first that follows one; others wait for the person. */
	next(
		send: (turn: QueuedTurn) => Promise<ReplyEntry>,
		tree: Places,
		last: ReplyEntry | undefined,
	): Promise<ReplyEntry> | undefined {
		const ready = continuesQueue(last) ? this.turns.find((turn) => continuesQueue(parentOf(turn, tree))) : undefined;
		const found = this.#take(this.#demanded[0] ?? ready?.id);
		const reply = found && send(found.turn);
		found?.settle(reply);
		return reply;
	}

	/** Removes a turn; false if it is not in the queue. */
	remove(id: string): boolean {
		const found = this.#take(id);
		found?.settle(undefined);
		return found !== undefined;
	}

	/** Moves a turn before the one ahead of it. */
	raise(id: string): void {
		const at = this.#waiting.findIndex(({ turn }) => turn.id === id);
		const [before, raised] = this.#waiting.slice(Math.max(at - 1, 0), at + 1);
		if (before !== undefined && raised !== undefined) this.#set(this.#waiting.with(at - 1, raised).with(at, before));
	}

	/** Takes over the queue of another window. */
	replace(turns: readonly WaitingTurn[]): void {
		const before = this.#waiting;
		this.#waiting = turns.map((turn) => before.find((each) => each.turn.id === turn.id) ?? waiting(turn));
		for (const each of before) if (!this.#waiting.includes(each)) each.settle(undefined);
	}

	/** Resolves all callers without a reply. The queue stays on the disk. */
	dispose(): void {
		for (const { settle } of this.#waiting) settle(undefined);
	}

	#take(id: string | undefined): Waiting | undefined {
		this.#demanded = this.#demanded.filter((each) => each !== id);
		const found = this.#waiting.find(({ turn }) => turn.id === id);
		if (found !== undefined) this.#set(this.#waiting.filter((each) => each !== found));
		return found;
	}

	#set(turns: readonly Waiting[]): void {
		this.#waiting = turns;
		this.#changed();
	}
}

function waiting(turn: WaitingTurn & TurnOptions): Waiting {
	const { promise, resolve } = Promise.withResolvers<ReplyEntry | "reply" | undefined>();
	// Callers need not wait for the reply.
	promise.catch(() => undefined);
	return { turn: { ...turn, reply: promise }, settle: resolve };
}

/** True if queued turns are sent after an entry. */
function continuesQueue(entry: Entry | undefined): boolean {
	return entry?.role === "assistant" && entry.ended !== undefined && CONTINUES.has(entry.ended.outcome);
}

/** Parent of a queued turn: the end of its branch. A reply that broke off is replaced by its version on screen. */
export function parentOf({ after }: WaitingTurn, tree: Pick<Branches, "path" | "shown" | "tip">): Entry | undefined {
	const tip = after === undefined ? undefined : tree.tip(after);
	if (tip === undefined) return tree.path.at(-1);
	const other = continuesQueue(tip) ? undefined : tree.shown(tip.id);
	return other === undefined ? tip : tree.tip(other.id);
}

import type { Clock } from "#base/clock.ts";
import type { KeyValueStore } from "../ports.ts";
import type { FoundConversation } from "./fold.ts";
import type { QueueRecord, ReplyRecord } from "./journal.ts";
import type { JournalFiles } from "./journal-files.ts";

/** What runs are told apart with. */
export interface RunsParts {
	readonly files: Pick<JournalFiles, "isRunning">;
	readonly clock: Clock;
	/** The number of this process. */
	readonly pid: number;
	/** Remembers in this workspace which runs its windows have had. */
	readonly memory: KeyValueStore;
}

const RUNS = "switchboard.chat.runs";

/** Runs that are remembered, the last ones: a draft may lie untouched through many of them. */
const REMEMBERED = 50;

/** A reply that was asked for longer ago is not under way, though a process may have the number of its own. Milliseconds. */
const LONGEST_REPLY_MS = 3600_000;

/** The runs of the product that work on the same conversations: this one, and those of other windows. */
export class Runs {
	/** The name of this run: the number of its process, and what tells it from a later one of that number. */
	readonly own: string;
	readonly #parts: RunsParts;
	readonly #earlier: ReadonlySet<unknown>;

	constructor(parts: RunsParts) {
		this.#parts = parts;
		this.own = `${parts.pid}.${Math.floor(parts.clock.random() * 36 ** 6).toString(36)}`;
		const known = parts.memory.get(RUNS);
		const earlier: readonly unknown[] = Array.isArray(known) ? known : [];
		this.#earlier = new Set(earlier);
		// Where it cannot be remembered, the newest draft of any window comes first.
		parts.memory.set(RUNS, [this.own, ...earlier].slice(0, REMEMBERED)).catch(() => undefined);
	}

	/** Whether a run was one of this workspace: before a reload its window was most likely this one. */
	isEarlier(by: string): boolean {
		return this.#earlier.has(by);
	}

	/** With what is queued here, or waits for whoever comes since its window is gone: what others are to send is theirs. */
	withQueue(found: FoundConversation): FoundConversation {
		const queue = found.waiting
			.filter((record) => !this.#isOfOther(record))
			.map(({ t: _t, at: _at, by: _by, ...turn }) => turn);
		return queue.length === 0 ? found : { ...found, facts: { ...found.facts, queue } };
	}

	/** The other runs that are at work on a conversation: what they ask for, and what waits to be sent by them. */
	othersIn({ running, waiting }: FoundConversation): readonly string[] {
		return [...running, ...waiting.flatMap((each) => (this.#isOfOther(each) ? [each.by ?? ""] : []))];
	}

	#isOfOther({ by, at }: QueueRecord): boolean {
		return by !== undefined && by !== this.own && this.#isAtWork(by, at);
	}

	/** Whether a run of the product that began something at that time may still be at it. */
	#isAtWork(by: string, at: number): boolean {
		return this.#parts.clock.now() - at < LONGEST_REPLY_MS && this.isRunning(by);
	}

	/** When a reply under way was asked for, on the monotonic clock; undefined where nobody is at it. */
	since({ by, at }: ReplyRecord): number | undefined {
		const { clock } = this.#parts;
		const ago = clock.now() - at;
		return by !== undefined && this.#isAtWork(by, at) ? clock.monotonic() - ago : undefined;
	}

	/** Whether a run of the product goes on. */
	isRunning(by: string): boolean {
		const pid = Number.parseInt(by, 10);
		return by === this.own || (pid !== this.#parts.pid && this.#parts.files.isRunning(pid));
	}
}

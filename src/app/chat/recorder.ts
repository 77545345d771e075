import type { Block } from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import type { ConversationFacts, Entry } from "./conversation.ts";
import { type FactsChange, type JournalRecord, journalLine, type QueueRecord } from "./journal.ts";
import type { SecretFilter } from "./redacted-reply.ts";
import { endRecord, recordsOf, replyRecord, turnRecord } from "./saved-reply.ts";
import type { ChatSession, SessionEvent } from "./session.ts";
import type { QueuedTurn } from "./turn-queue.ts";

/** A text has grown: how far is looked at when it is written. */
interface Growth {
	readonly reply: string;
	readonly key: string;
}

/** Turns what happens in one conversation into lines of its journal. */
export class Recorder {
	readonly #session: ChatSession;
	readonly #secretFilter: Pick<SecretFilter, "redact">;
	/** Events since the last lines; text only with its place, since more of it may come. */
	#waiting: (JournalRecord | Growth | { readonly whole: Entry })[] = [];
	/** The blocks with text that waits, by their reply and key. */
	readonly #grown = new Map<string, Block>();
	/** Characters of each block that are written. */
	readonly #written = new Map<string, number>();
	/** The replies under way here. */
	readonly #open = new Set<string>();
	readonly #clock: Pick<Clock, "now">;
	#facts: ConversationFacts;
	/** The ids of what is in the queue, as far as that is written. */
	#queued: ReadonlySet<string>;

	constructor(session: ChatSession, secretFilter: Pick<SecretFilter, "redact">, clock: Pick<Clock, "now">) {
		this.#session = session;
		this.#secretFilter = secretFilter;
		this.#clock = clock;
		this.#facts = session.facts;
		this.#queued = idsOf(session.queue);
	}

	/** True if there is something to write. */
	get hasMore(): boolean {
		return this.#waiting.length > 0;
	}

	/** Takes in what has happened. */
	hear(event: SessionEvent): void {
		switch (event.type) {
			case "appended":
				this.#append(event.entry);
				return;
			case "block": {
				const { entry, delta } = event;
				// What comes from another window is in the journal.
				if (!this.#open.has(entry.id)) return;
				const place = `${entry.id} ${delta.block.key}`;
				if (delta.appended === null) this.#written.delete(place);
				if (!this.#grown.has(place)) this.#waiting.push({ reply: entry.id, key: delta.block.key });
				this.#grown.set(place, delta.block);
				return;
			}
			case "reply": {
				const { entry } = event;
				if (entry.ended === undefined || !this.#open.delete(entry.id)) return;
				// A reply that comes whole has told no change of its blocks.
				for (const block of entry.reply?.blocks ?? []) {
					const place = `${entry.id} ${block.key}`;
					if (this.#grown.has(place) || this.#written.get(place) === block.text.length) continue;
					this.#waiting.push({ reply: entry.id, key: block.key });
					this.#grown.set(place, block);
				}
				this.#waiting.push(endRecord(entry, entry.ended));
				return;
			}
			case "dropped":
				this.#waiting.push({ t: "drop", id: event.id });
				return;
			case "chosen":
				this.#waiting.push({ t: "choose", id: event.id });
				return;
			case "facts":
				this.#waiting.push({ t: "facts", ...changeOf(this.#facts, this.#session.facts) });
				this.#facts = this.#session.facts;
				return;
			case "queue":
				this.#queue();
				return;
			case "replaced":
				// What another window has changed is in the journal.
				this.#facts = this.#session.facts;
				this.#queued = idsOf(this.#session.queue);
		}
	}

	/** The lines of what has happened since the last time. */
	take(): string {
		const waiting = this.#waiting;
		this.#waiting = [];
		return waiting
			.flatMap((each) => ("whole" in each ? recordsOf(each.whole) : each))
			.map((each) => ("t" in each ? this.#line(each) : this.#textLine(each)))
			.join("");
	}

	/** Lines that say all of the conversation. */
	whole(): string {
		this.#waiting = [];
		this.#grown.clear();
		const { chosen, facts } = this.#session;
		const records: JournalRecord[] = [];
		if (Object.keys(facts).length > 0) records.push({ t: "facts", ...facts });
		records.push(
			...this.#session.all.flatMap(recordsOf),
			...chosen.map((each) => ({ t: "choose", id: each }) as const),
		);
		records.push(...this.#session.queue.map((turn) => this.#queueRecord(turn)));
		return records.map((each) => this.#line(each)).join("");
	}

	/** Records the turns that were added and removed. */
	#queue(): void {
		const { queue } = this.#session;
		const before = this.#queued;
		this.#queued = idsOf(queue);
		const gone = [...before].filter((id) => !this.#queued.has(id));
		this.#waiting.push(
			...gone.map((id) => ({ t: "unqueue", id }) as const),
			...queue.filter(({ id }) => !before.has(id)).map((turn) => this.#queueRecord(turn)),
		);
	}

	#queueRecord({ reply: _, ...turn }: QueuedTurn): QueueRecord {
		return { t: "queue", at: this.#clock.now(), ...turn };
	}

	#append(entry: Entry): void {
		if (entry.role === "user") this.#waiting.push(turnRecord(entry));
		// What comes from another conversation comes whole.
		else if (entry.reply !== undefined || entry.ended !== undefined) this.#waiting.push({ whole: entry });
		else {
			this.#open.add(entry.id);
			this.#waiting.push(replyRecord(entry));
		}
	}

	#line(record: JournalRecord): string {
		return journalLine(this.#secretFilter.redact(record));
	}

	#textLine({ reply, key }: Growth): string {
		const place = `${reply} ${key}`;
		const block = this.#grown.get(place);
		if (block === undefined) return "";
		this.#grown.delete(place);
		const { index, type, text } = block;
		const before = this.#written.get(place);
		if (before === text.length) return "";
		this.#written.set(place, text.length);
		const at = before ?? 0;
		return journalLine({ t: "text", reply, key, index, type, at, text: text.slice(at) });
	}
}

function idsOf(queue: readonly QueuedTurn[]): ReadonlySet<string> {
	return new Set(queue.map(({ id }) => id));
}

function changeOf(before: ConversationFacts, now: ConversationFacts): FactsChange {
	const names = [...Object.keys(before), ...Object.keys(now)] as (keyof ConversationFacts)[];
	const changed = names.filter((name) => before[name] !== now[name]);
	return Object.fromEntries(changed.map((name) => [name, now[name] ?? null]));
}

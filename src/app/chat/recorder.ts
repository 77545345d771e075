import type { Block } from "#api/messages/model.ts";
import type { ConversationFacts, Entry, ReplyEntry } from "./conversation.ts";
import { type Censor, RestText } from "./growing-text.ts";
import { type FactsChange, type JournalRecord, journalLine, type QueueRecord } from "./journal.ts";
import { partsOf } from "./parts.ts";
import { endRecord, recordsOf, replyRecord, turnRecord, wholeLine } from "./saved-reply.ts";
import type { ChatSession, SessionEvent } from "./session.ts";
import type { QueuedTurn } from "./turn-queue.ts";
import { untorn } from "./untorn.ts";

/** A text has grown: how far is looked at when it is written. */
interface Growth {
	readonly reply: string;
	readonly key: string;
}

/** Turns what happens in one conversation into lines of its journal. */
export class Recorder {
	readonly #session: ChatSession;
	readonly #censor: Censor;
	/** Who asks for the replies of this window. */
	readonly #by: string;
	/** What has happened since the last lines; text only with its place, since more of it may come. */
	#waiting: (JournalRecord | Growth | { readonly whole: Entry })[] = [];
	/** The blocks with text that waits, by their reply and key. */
	readonly #grown = new Map<string, Block>();
	/** The blocks as far as they are written. */
	readonly #written = new Map<string, RestText>();
	/** The replies under way here. */
	readonly #open = new Set<string>();
	readonly #now: () => number;
	#facts: ConversationFacts;
	/** The ids of what is in the queue, as far as that is written. */
	#queued: ReadonlySet<string>;

	/** `by` is this run of the product, `now` the time in milliseconds since 1970. */
	constructor(
		session: ChatSession,
		{ censor, by, now }: { readonly censor: Censor; readonly by: string; readonly now: () => number },
	) {
		this.#session = session;
		this.#censor = censor;
		this.#by = by;
		this.#now = now;
		this.#facts = session.facts;
		this.#queued = idsOf(session.queue);
	}

	/** Whether there is something to write. */
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
				// An end of its text may still be held back.
				for (const block of entry.reply?.blocks ?? []) {
					const place = `${entry.id} ${block.key}`;
					const written = this.#written.get(place);
					if (!this.#grown.has(place) && written?.heard === block.text.length && !written.holds) continue;
					if (!this.#grown.has(place)) this.#waiting.push({ reply: entry.id, key: block.key });
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
		const hasWhole = waiting.some((each) => "whole" in each);
		const clear = hasWhole ? new Map(this.#untorn().map((entry) => [entry.id, entry])) : undefined;
		return waiting
			.flatMap((each) => ("whole" in each ? recordsOf(clear?.get(each.whole.id) ?? each.whole) : each))
			.map((each) => ("t" in each ? wholeLine(each, this.#censor) : this.#textLines(each)))
			.join("");
	}

	/** The same, or nothing while there is nothing but more text of a reply under way here. */
	takeRecords(): string {
		return this.#waiting.some((each) => !("key" in each)) ? this.take() : "";
	}

	/** Lines that say all of the conversation. */
	whole(): string {
		this.#waiting = [];
		this.#grown.clear();
		const { id, chosen, facts } = this.#session;
		const records: JournalRecord[] = [{ t: "begin", v: 2, id, at: this.#now() }];
		if (Object.keys(facts).length > 0) records.push({ t: "facts", ...facts });
		records.push(...this.#untorn().flatMap(recordsOf), ...chosen.map((each) => ({ t: "choose", id: each }) as const));
		records.push(...this.#session.queue.map((turn) => this.#queueRecord(turn)));
		return records.map((each) => wholeLine(each, this.#censor)).join("");
	}

	/** What has come or gone, one by one: other windows change the queue too. */
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
		return { t: "queue", at: this.#now(), by: this.#by, ...turn };
	}

	#append(entry: Entry): void {
		if (entry.role === "user") this.#waiting.push(turnRecord(entry, this.#by));
		// What comes from another conversation comes whole.
		else if (entry.reply !== undefined || entry.ended !== undefined) this.#waiting.push({ whole: entry });
		else {
			this.#open.add(entry.id);
			this.#waiting.push(replyRecord(entry, this.#by));
		}
	}

	#untorn(): readonly Entry[] {
		return untorn(this.#session.all, (text) => this.#censor.redact(text));
	}

	/** What a text has grown by, and what of the text before it has turned out to be half of a secret. */
	#textLines({ reply, key }: Growth): string {
		const place = `${reply} ${key}`;
		const block = this.#grown.get(place);
		if (block === undefined) return "";
		this.#grown.delete(place);
		const { index, type, text } = block;
		const before = this.#written.get(place);
		const seam = this.#seamOf(reply, block);
		const growing = before ?? new RestText(this.#censor, seam?.text);
		const { back, at, text: more } = growing.take(text.slice(growing.heard), { whole: !this.#open.has(reply) });
		this.#written.set(place, growing);
		const taken = seam === undefined || back === 0 ? "" : this.#takeBack(seam, back);
		if (before !== undefined && more === "" && at > 0) return taken;
		return taken + journalLine({ t: "text", reply, key, index, type, at, text: more });
	}

	#takeBack({ reply, key, index, type, text }: Seam, back: number): string {
		const at = this.#censor.redact(text).length - back;
		return journalLine({ t: "text", reply, key, index, type, at, text: "" });
	}

	/** The text that was cut off and that a block goes on with. */
	#seamOf(reply: string, { key, type }: Block): Seam | undefined {
		const entry = this.#session.all.find(({ id }) => id === reply);
		if (type !== "text" || entry?.role !== "assistant" || !entry.continues) return undefined;
		const texts = (of: ReplyEntry) => (of.reply?.blocks ?? []).filter((block) => block.type === "text");
		if (texts(entry)[0]?.key !== key) return undefined;
		const parts = partsOf(reply, this.#session.lineage(reply)).slice(0, -1);
		return parts.flatMap((part) => texts(part).map((block) => ({ ...block, reply: part.id }))).at(-1);
	}
}

/** The last text of a reply that was cut off. */
type Seam = Block & { readonly reply: string };

function idsOf(queue: readonly QueuedTurn[]): ReadonlySet<string> {
	return new Set(queue.map(({ id }) => id));
}

function changeOf(before: ConversationFacts, now: ConversationFacts): FactsChange {
	const names = [...Object.keys(before), ...Object.keys(now)] as (keyof ConversationFacts)[];
	const changed = names.filter((name) => before[name] !== now[name]);
	return Object.fromEntries(changed.map((name) => [name, now[name] ?? null]));
}

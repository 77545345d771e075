import type { Block } from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import { invalid } from "#base/errors.ts";
import type { ConversationFacts, ConversationState, Entry, ToolCall } from "./conversation.ts";
import {
	type JournalRecord,
	LineReader,
	MOST_MS,
	type RecordOf,
	readLine,
	STORED_VERSION,
	withText,
} from "./journal.ts";
import type { JournalFiles } from "./journal-files.ts";
import { restoredReply } from "./saved-reply.ts";

/** Conversation of a journal. */
export interface FoundConversation extends ConversationState {
	/** Empty if the journal does not say. */
	readonly id: string;
	/** Time of its deletion, in milliseconds since 1970. */
	readonly gone: number | undefined;
	/** Time of its last turn or reply, in milliseconds since 1970. */
	readonly at: number;
	/** True if its last reply is still arriving in another window. */
	readonly isUnderWay: boolean;
}

interface OpenReply {
	readonly asked: RecordOf<"reply">;
	readonly blocks: Map<string, Block>;
	readonly calls: Map<string, ToolCall>;
	end: RecordOf<"end"> | undefined;
}

/** Reads a journal line by line: a beginning of it gives a beginning of its conversation, and unreadable lines are skipped. */
export class JournalReader {
	readonly #lines = new LineReader();
	/** Number of unreadable lines. */
	skipped = 0;
	#id = "";
	#begun = 0;
	#gone: number | undefined;
	#facts: ConversationFacts = {};
	#chosen: string[] = [];
	readonly #entries = new Map<string, RecordOf<"turn"> | OpenReply>();
	readonly #waiting = new Map<string, RecordOf<"queue">>();
	/** Turns removed from the queue, which a repeated line does not bring back. */
	readonly #unqueued = new Set<string>();

	/** Bytes read so far. */
	get read(): number {
		return this.#lines.read;
	}

	/** True if nothing could be read of a file with content. */
	get isDamaged(): boolean {
		return this.#entries.size === 0 && (this.skipped > 0 || this.#lines.isInLine);
	}

	/** Takes the next bytes of the journal. Throws ClientError `invalid` for another version. */
	take(piece: Uint8Array): this {
		for (const line of this.#lines.take(piece)) {
			const record = readLine(line);
			if (record === undefined) this.skipped += 1;
			else this.#apply(record);
		}
		return this;
	}

	/** Takes the rest of the journal from the disk. Rejects like {@link take}. */
	async takeFrom(files: Pick<JournalFiles, "pieces">, name: string): Promise<this> {
		for await (const piece of files.pieces(name, this.read)) this.take(piece);
		return this;
	}

	/** Conversation so far. With a clock, a last reply without an end counts as still arriving. */
	found(clock?: Pick<Clock, "now" | "monotonic">): FoundConversation {
		let at = this.#begun;
		const last = [...this.#entries.values()].findLast((each) => "asked" in each);
		const underWay = clock !== undefined && last?.end === undefined ? last : undefined;
		const entries = [...this.#entries.values()].map((each): Entry => {
			if (!("asked" in each)) {
				const { t: _t, ...turn } = { ...each, at: known(each.at) };
				at = Math.max(at, turn.at);
				return { ...turn, role: "user" };
			}
			const { end, blocks, calls } = each;
			const { t: _t, ...asked } = { ...each.asked, at: known(each.asked.at) };
			at = Math.max(at, known(asked.at + (end?.durationMs ?? 0)));
			const running = clock && each === underWay ? clock.monotonic() - (clock.now() - asked.at) : undefined;
			return restoredReply(asked, { blocks: [...blocks.values()], calls: [...calls.values()], end, running });
		});
		const chosen = this.#chosen.filter((id) => this.#entries.has(id));
		const queue = [...this.#waiting.values()].map(({ t: _t, at: _at, ...turn }) => turn);
		const facts = queue.length === 0 ? this.#facts : { ...this.#facts, queue };
		return { id: this.#id, entries, chosen, facts, gone: this.#gone, at, isUnderWay: underWay !== undefined };
	}

	#apply(record: JournalRecord) {
		switch (record.t) {
			case "begin":
				if (record.v !== STORED_VERSION) {
					throw invalid("messages", "conversation", "is from another version of Switchboard; update to read it");
				}
				this.#id ||= record.id;
				this.#begun ||= known(record.at);
				return;
			case "facts": {
				const { t: _t, ...change } = record;
				const facts = Object.entries({ ...this.#facts, ...change });
				this.#facts = Object.fromEntries(facts.filter(([, value]) => value !== null && value !== undefined));
				return;
			}
			case "turn":
				// A new turn restores a deleted conversation.
				this.#gone = undefined;
				this.#waiting.delete(record.id);
				if (!this.#entries.has(record.id)) this.#entries.set(record.id, record);
				return;
			case "reply":
				if (this.#entries.has(record.id)) return;
				this.#entries.set(record.id, { asked: record, blocks: new Map(), calls: new Map(), end: undefined });
				return;
			case "text": {
				const { t: _t, reply, at: _at, text: _text, ...block } = record;
				const blocks = this.#reply(reply)?.blocks;
				const text = withText(blocks?.get(block.key)?.text ?? "", record);
				blocks?.set(block.key, { ...block, text, open: false });
				return;
			}
			case "call": {
				const { t: _t, reply, ...call } = record;
				this.#reply(reply)?.calls.set(call.key, call);
				return;
			}
			case "end": {
				const entry = this.#reply(record.reply);
				if (entry !== undefined) entry.end = record;
				return;
			}
			case "drop":
				this.#entries.delete(record.id);
				return;
			case "choose":
				this.#chosen.push(record.id);
				return;
			case "queue":
				if (this.#unqueued.has(record.id) || this.#entries.has(record.id) || this.#waiting.has(record.id)) return;
				this.#waiting.set(record.id, record);
				return;
			case "unqueue":
				this.#unqueued.add(record.id);
				this.#waiting.delete(record.id);
				return;
			case "order": {
				const turns = record.ids.flatMap((id) => this.#waiting.get(id) ?? []);
				for (const turn of turns) this.#waiting.delete(turn.id);
				for (const turn of turns) this.#waiting.set(turn.id, turn);
				return;
			}
			case "gone":
				this.#gone = record.at ?? undefined;
				return;
			default:
				record satisfies never;
		}
	}

	#reply(id: string): OpenReply | undefined {
		const entry = this.#entries.get(id);
		return entry !== undefined && "asked" in entry ? entry : undefined;
	}
}

/** Replaces an invalid time by 0. */
function known(at: number): number {
	return Math.abs(at) <= 2 * MOST_MS ? at : 0;
}

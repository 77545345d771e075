import type { ClientError } from "#base/errors.ts";
import type { Outcome, Usage } from "#base/reply.ts";
import type { ConversationFacts, ReplyEntry, Turn, WaitingTurn } from "./conversation.ts";

/**
 * What a journal is made of. A conversation is one file that only grows: a line of JSON for each record, in the order in
 * which things happened, whichever window wrote it. Milliseconds; `at` is since 1970.
 */
export type JournalRecord =
	| { readonly t: "begin"; readonly v: 2; readonly id: string; readonly at: number }
	/** What has changed of the facts; null takes one away. */
	| ({ readonly t: "facts" } & FactsChange)
	| TurnRecord
	| ReplyRecord
	/** Text of a block from that place on, counted in characters of what is kept: what stood behind it is replaced. */
	| TextRecord
	| ({ readonly t: "end"; readonly reply: string } & SavedEnd)
	| { readonly t: "drop"; readonly id: string }
	| { readonly t: "choose"; readonly id: string }
	| QueueRecord
	/** Taken out of the queue. */
	| { readonly t: "unqueue"; readonly id: string }
	/** Deleted at that time; null brings it back. */
	| { readonly t: "gone"; readonly at: number | null };

/** What arrives or is typed is on its way to the disk so much later: with the write, within 250 ms. */
export const SAVE_AFTER_MS = 100;

/** No time or duration is more, so that the sum of two of them is still on the calendar. Milliseconds. */
export const MOST_MS = 1e15;

/** A change of the facts of a conversation. */
export type FactsChange = { readonly [K in keyof ConversationFacts]?: ConversationFacts[K] | null };

/**
 * Something was said. What was queued is said under the id it had there: it waits no longer, and the window whose record
 * of it is the first is the one that sends it.
 */
export interface TurnRecord extends Omit<Turn, "role"> {
	readonly t: "turn";
	/** Which run of the product says it. */
	readonly by?: string;
}

/** A turn waits to be sent, since that time. The queue of an earlier version stands in the facts, whole each time. */
export interface QueueRecord extends WaitingTurn {
	readonly t: "queue";
	readonly at: number;
	/** Which run of the product is to send it. */
	readonly by?: string;
}

/** A reply has been asked for. */
export interface ReplyRecord
	extends Pick<
		ReplyEntry,
		"id" | "parent" | "continues" | "connectionId" | "connection" | "model" | "parameters" | "at"
	> {
	readonly t: "reply";
	/** Which process asks, and which run of the product in it: `4711.x1y2`. */
	readonly by?: string;
}

/** More text of a block of a reply. */
export interface TextRecord {
	readonly t: "text";
	readonly reply: string;
	readonly key: string;
	readonly index: number;
	readonly type: string;
	readonly at: number;
	readonly text: string;
}

/** How a reply ended, as it is kept. Milliseconds. */
export interface SavedEnd {
	readonly outcome: Outcome;
	readonly requests: number;
	readonly durationMs: number;
	readonly firstTextMs: number | null;
	/** How long each thinking block took, by its key. */
	readonly thoughtMs: Readonly<Record<string, number>>;
	readonly messageId: string | null;
	/** The one that the service says it is. */
	readonly model: string | null;
	readonly role: string | null;
	readonly stopReason: string | null;
	readonly stopSequence: string | null;
	readonly usage: Usage;
	readonly error: SavedError | null;
}

/** What is kept of an error. */
export type SavedError = Pick<
	ClientError,
	"service" | "code" | "message" | "status" | "retryAfterMs" | "requestId" | "field"
>;

/** A record as a line of a journal. */
export function journalLine(record: JournalRecord): string {
	return `${JSON.stringify(record)}\n`;
}

/**
 * Lines as they are appended. Whoever wrote before may have been cut off in the middle of a line: the line break in
 * front keeps what follows from becoming a part of that.
 */
export function journalChunk(lines: string): string {
	return `\n${lines}`;
}

/** Up to where bytes of a journal are whole lines: the one after it is torn, or still being written. */
export function wholeLines(bytes: Uint8Array): number {
	return bytes.lastIndexOf(0x0a) + 1;
}

/** The record of a line; undefined for one that is torn, or that a later version wrote. */
export function readLine(line: string): JournalRecord | undefined {
	if (!line.startsWith('{"t":"') || !line.endsWith("}")) return undefined;
	try {
		const value: unknown = JSON.parse(line);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** The fields that a kind cannot be without, and their types. */
const KINDS: Readonly<Record<JournalRecord["t"], Readonly<Record<string, string>>>> = {
	begin: { id: "string" },
	facts: {},
	turn: { id: "string", text: "string", at: "number" },
	reply: { id: "string", parent: "string", connection: "string", model: "string", parameters: "object", at: "number" },
	text: { reply: "string", key: "string", index: "number", type: "string", at: "number", text: "string" },
	end: { reply: "string", outcome: "string", durationMs: "number" },
	drop: { id: "string" },
	choose: { id: "string" },
	queue: { id: "string", text: "string", at: "number" },
	unqueue: { id: "string" },
	gone: {},
};

/** The same, as it is looked through for each of many thousand lines. */
const FIELDS = new Map(Object.entries(KINDS).map(([kind, fields]) => [kind, Object.entries(fields)]));

/** Whether JSON has what its kind cannot be without; the rest of it is our own hand. */
function isRecord(value: unknown): value is JournalRecord {
	if (typeof value !== "object" || value === null) return false;
	const parts = value as Record<string, unknown>;
	const fields = FIELDS.get(String(parts["t"]));
	if (fields === undefined) return false;
	for (const [name, type] of fields) if (typeof parts[name] !== type || parts[name] === null) return false;
	return true;
}

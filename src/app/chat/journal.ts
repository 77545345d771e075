import { ClientError, type ErrorCode, type Service } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import type { Outcome, Usage } from "#base/reply.ts";
import type { Attachment, AttachmentKind, ConversationFacts, ReplyEntry, Turn, WaitingTurn } from "./conversation.ts";
import {
	each,
	fields,
	flag,
	keyOf,
	list,
	number,
	object,
	or,
	orNull,
	present,
	type Read,
	refuse,
	text,
} from "./fields.ts";
import { type ChatParameters, decodeParameters } from "./parameters.ts";

/**
 * Record of a journal. A conversation is one file that only grows: a line of JSON for each record, in the order in
 * which things happened. Milliseconds; `at` is since 1970.
 */
export type JournalRecord =
	| { readonly t: "begin"; readonly v: 2; readonly id: string; readonly at: number }
	/** Change of the facts; null removes one. */
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

/** Debounce of writes, in ms: with the write itself, text is on the disk within 250 ms. */
export const SAVE_AFTER_MS = 100;

/** A change of the facts of a conversation. */
export type FactsChange = {
	readonly [K in Exclude<keyof ConversationFacts, "queue">]?: ConversationFacts[K] | null;
};

/** Turn of the person. One that was queued keeps its id, and waits no longer. */
export interface TurnRecord extends Omit<Turn, "role"> {
	readonly t: "turn";
}

/** A turn waits to be sent, since that time. */
export interface QueueRecord extends WaitingTurn {
	readonly t: "queue";
	readonly at: number;
}

/** A reply has been asked for. */
export interface ReplyRecord
	extends Pick<
		ReplyEntry,
		"id" | "parent" | "continues" | "connectionId" | "connection" | "model" | "parameters" | "at"
	> {
	readonly t: "reply";
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

/** End of a reply as it is kept. Milliseconds. */
export interface SavedEnd {
	readonly outcome: Outcome;
	readonly requests: number;
	readonly durationMs: number;
	readonly firstTextMs: number | null;
	/** Durations of the thinking blocks, by their key. */
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

/** Fields of an error that are kept. */
export type SavedError = Pick<
	ClientError,
	"service" | "code" | "message" | "status" | "retryAfterMs" | "requestId" | "field" | "isGateway"
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

const LINE_FEED = 0x0a;

/** Many times as fast as a decoder that has ever had to wait for the rest of a character. */
const WHOLE_LINES = new TextDecoder();

/**
 * Lines of a file that is read piece by piece, so that none has to fit into memory. Of a line longer than
 * {@link LIMITS.journalLineBytes} only as much is kept as shows that.
 */
export class LineReader {
	#decoder: InstanceType<typeof TextDecoder> | undefined;
	/** The line that the last piece ends in: torn, or still being written. */
	#begun = "";
	#read: number;

	/** Begins behind so many bytes. */
	constructor(read = 0) {
		this.#read = read;
	}

	/** Bytes read so far. */
	get read(): number {
		return this.#read;
	}

	/** Takes the next bytes; gives the lines that end in them, but for empty ones. */
	take(piece: Uint8Array): readonly string[] {
		this.#read += piece.length;
		const end = piece.indexOf(LINE_FEED);
		this.#grow(end < 0 ? piece : piece.subarray(0, end));
		if (end < 0) return [];
		const last = piece.lastIndexOf(LINE_FEED);
		const lines = [this.#begun, ...WHOLE_LINES.decode(piece.subarray(end, last)).split("\n")];
		this.#begun = "";
		this.#decoder = undefined;
		this.#grow(piece.subarray(last + 1));
		return lines.filter((line) => line !== "");
	}

	#grow(end: Uint8Array): void {
		if (end.length === 0 || this.#begun.length > LIMITS.journalLineBytes) return;
		this.#decoder ??= new TextDecoder();
		this.#begun += this.#decoder.decode(end, { stream: true });
	}
}

/** A text with a record of more of it, as far as {@link LIMITS.replyBytes}: no reply may be longer. */
export function withText(before: string, { at, text }: TextRecord): string {
	return (before.slice(0, at) + text).slice(0, LIMITS.replyBytes);
}

/** The record of a line; undefined for one that is torn, has a field of another type, or that a later version wrote. */
export function readLine(line: string): JournalRecord | undefined {
	if (line.length > LIMITS.journalLineBytes || !line.startsWith('{"t":"') || !line.endsWith("}")) return undefined;
	try {
		const { t, ...values } = JSON.parse(line) as { readonly t: JournalRecord["t"] };
		// Every field of its kind is read.
		return { t, ...KINDS[t](values, "") } as JournalRecord;
	} catch {
		return undefined;
	}
}

/** Reads parameters, which go into requests as they are. */
export const parameters: Read<ChatParameters> = (value, place) => {
	try {
		return decodeParameters(object(value, place));
	} catch (error) {
		if (!(error instanceof ClientError) || error.field === undefined || error.field === place) throw error;
		throw refuse(`${place}.${error.field}`, error.message.slice(error.field.length + 1));
	}
};

const kind = keyOf<AttachmentKind>({
	...{ selection: true, file: true, problems: true, diff: true, issue: true, issues: true, pet: true, order: true },
});
const attachment = fields({ id: text, kind, label: text, text, source: or(text, null), language: or(text, null) });

/** Reads what is attached to a turn. */
export const attachments = or(
	list<Attachment>((value, place) => present(attachment(value, place))),
	[],
);

/** Fields of a turn that waits to be sent, but for its connection. */
export const WAITING = { id: text, text, after: or(text, undefined), attachments, parameters: or(parameters, {}) };

const outcome = keyOf<Outcome>({
	...{ complete: true, truncated: true, "stop-sequence": true, refused: true },
	...{ stopped: true, interrupted: true, stalled: true, failed: true },
});
const service = keyOf<Service>({ messages: true, codehost: true, petstore: true });
const code = keyOf<ErrorCode>({
	...{ aborted: true, network: true, timeout: true, stalled: true, unauthorized: true, forbidden: true },
	...{ "not-found": true, invalid: true, "rate-limited": true, overloaded: true, server: true },
	...{ malformed: true, interrupted: true },
});

/** Fields of the end of a reply; `number` reads the numbers. */
export function endFields(number: Read<number>): { readonly [K in keyof SavedEnd]: Read<SavedEnd[K]> } {
	const failure = fields({
		...{ service, code, message: text, field: or(text, null) },
		...{ status: or(number, null), retryAfterMs: or(number, null), requestId: or(text, null) },
		isGateway: or(flag, null),
	});
	return {
		outcome,
		...{ requests: or(number, 0), durationMs: or(number, 0), firstTextMs: or(number, null) },
		...{ thoughtMs: or(each(number), {}), messageId: or(text, null), model: or(text, null), role: or(text, null) },
		...{ stopReason: or(text, null), stopSequence: or(text, null) },
		usage: or(fields({ inputTokens: or(number, null), outputTokens: or(number, null) }), {
			...{ inputTokens: null, outputTokens: null },
		}),
		error: or((value, place) => present(failure(value, place)), null),
	};
}

const NAMED = fields({ id: text });

/** All fields of a kind of record, so that the compiler sees one that is not read. */
type FieldsOf<T> = { readonly [K in Exclude<keyof Extract<JournalRecord, { t: T }>, "t">]-?: unknown };

/** The fields of each kind of record. */
const KINDS: { readonly [T in JournalRecord["t"]]: Read<FieldsOf<T>> } = {
	begin: fields({ v: or(number, 2), id: text, at: number }),
	facts: fields({
		...{ title: orNull(text), pinned: orNull(flag), connection: orNull(text), parameters: orNull(parameters) },
	}),
	turn: fields({ id: text, parent: or(text, null), text, attachments, at: number }),
	reply: fields({
		...{ id: text, parent: text, continues: or(flag, false), connectionId: or(text, undefined), connection: text },
		...{ model: text, parameters, at: number },
	}),
	text: fields({ reply: text, key: text, index: number, type: text, at: number, text }),
	end: fields({ reply: text, ...endFields(number) }),
	...{ drop: NAMED, choose: NAMED, unqueue: NAMED },
	queue: fields({ ...WAITING, connection: or(text, undefined), at: number }),
	gone: fields({ at: or(number, null) }),
};

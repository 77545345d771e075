import { ERROR_CODES } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import {
	flag,
	type Infer,
	list,
	map,
	nullable,
	number,
	object,
	oneOf,
	optional,
	parse,
	type Schema,
	text,
	withDefault,
} from "#base/schema.ts";
import { CALL_STATES } from "#protocol/panel.ts";
import { ATTACHMENTS, STORED_IMAGE } from "./attachments.ts";
import type { WaitingTurn } from "./conversation.ts";
import { CHAT_PARAMETERS } from "./parameters.ts";

/** Version of all that is stored of a conversation. What has another one is left alone. */
export const STORED_VERSION = 2;

/** Debounce of writes, in ms: with the write itself, text is on the disk within 250 ms. */
export const SAVE_AFTER_MS = 100;

/** Longest time or duration, so that the sum of two of them is still on the calendar. Milliseconds. */
export const MOST_MS = 1e15;

const NONE = withDefault(text(), null);

/** Fields of a turn that waits to be sent, but for its connection. */
export const WAITING = {
	...{ id: text(), text: text(), after: optional(text()) },
	...{ attachments: withDefault(ATTACHMENTS, []), parameters: withDefault(CHAT_PARAMETERS, {}) },
};

const FAILURE = object({
	service: oneOf("messages", "codehost", "petstore"),
	code: oneOf(...ERROR_CODES),
	...{ message: text(), status: withDefault(number(), undefined), retryAfterMs: withDefault(number(), undefined) },
	...{ requestId: withDefault(text(), undefined), field: withDefault(text(), undefined) },
	isGateway: withDefault(flag(), undefined),
});

/** Fields of the end of a reply, in milliseconds; `number` reads the numbers. */
export function endFields(number: Schema<number>) {
	const count = withDefault(number, null);
	return {
		outcome: oneOf(
			...(["complete", "truncated", "stop-sequence", "tool-use", "refused", "other"] as const),
			...(["stopped", "interrupted", "stalled", "failed"] as const),
		),
		...{ requests: withDefault(number, 0), durationMs: withDefault(number, 0), firstTextMs: count },
		/** Durations of the thinking blocks, by their key. */
		thoughtMs: withDefault(map(number), {}),
		/** The model is the one that the service says it is. */
		...{ messageId: NONE, model: NONE, role: NONE, stopReason: NONE, stopSequence: NONE },
		explanation: optional(text()),
		usage: withDefault(object({ inputTokens: count, outputTokens: count, cachedTokens: optional(number) }), {
			inputTokens: null,
			outputTokens: null,
		}),
		error: withDefault(FAILURE, null),
		/** Use of tools by a reply that paused, in words. */
		spent: optional(text()),
	};
}

/** Fields of a block beside its text. */
export const BLOCK_FACTS = { tool: optional(object({ id: text(), name: text() })), signature: optional(text()) };

/** Fields of a call. */
export const CALL = {
	...{ key: text(), id: text(), name: text(), title: text(), icon: text() },
	...{ state: oneOf(...CALL_STATES), scope: optional(text()), result: optional(text()), ms: optional(number()) },
	images: optional(list(STORED_IMAGE)),
};

const ITS_ID = object({ id: text() });

/** Schemas of the kinds of records. Milliseconds; `at` is since 1970, but for a text. */
const KINDS = {
	begin: object({ v: number(), id: text(), at: number() }),
	/** Change of the facts; null removes one. */
	facts: object({
		...{ title: optional(nullable(text())), pinned: optional(nullable(flag())) },
		...{ connection: optional(nullable(text())), parameters: optional(nullable(CHAT_PARAMETERS)) },
		...{ tools: optional(nullable(list(text()))), allowed: optional(nullable(list(text()))) },
	}),
	/** Turn of the person. One that was queued keeps its id, and waits no longer. */
	turn: object({
		...{ id: text(), parent: withDefault(text(), null), text: text() },
		...{ attachments: withDefault(ATTACHMENTS, []), at: number() },
	}),
	/** A reply has been asked for. */
	reply: object({
		...{ id: text(), parent: text(), continues: withDefault(flag(), false) },
		...{ connectionId: withDefault(text(), undefined), connection: text(), model: text() },
		...{ parameters: CHAT_PARAMETERS, at: number() },
	}),
	/** Text of a block from that place on, counted in characters of what is kept: what stood behind it is replaced. */
	text: object({
		...{ reply: text(), key: text(), index: number(), type: text(), at: number(), text: text() },
		...BLOCK_FACTS,
	}),
	/** A call as it stands from now on. */
	call: object({ reply: text(), ...CALL }),
	end: object({ reply: text(), ...endFields(number()) }),
	...{ drop: ITS_ID, choose: ITS_ID },
	/** A turn waits to be sent, since that time. */
	queue: object({ ...WAITING, connection: optional(text()), at: number() }) as Schema<
		WaitingTurn & { readonly at: number }
	>,
	/** Taken out of the queue. */
	unqueue: ITS_ID,
	/** Deleted at that time; null brings it back. */
	gone: object({ at: withDefault(number(), null) }),
};

type Records = { readonly [T in keyof typeof KINDS]: { readonly t: T } & Infer<(typeof KINDS)[T]> };

/**
 * Record of a journal. A conversation is one file that only grows: a line of JSON for each record, in the order in
 * which things happened.
 */
export type JournalRecord = Records[keyof Records];

/** Record of one kind. */
export type RecordOf<T extends keyof Records> = Records[T];

/** A record as a line of a journal. */
export function journalLine(record: JournalRecord): string {
	return `${JSON.stringify(record)}\n`;
}

/**
 * Lines as they are appended. The line break in front ends a line that an interrupted write may have left incomplete.
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
	/** Bytes read so far. */
	read = 0;

	/** True if the last line has no end yet. */
	get isInLine(): boolean {
		return this.#begun.trim() !== "";
	}

	/** Takes the next bytes; gives the lines that end in them, but for empty ones. */
	take(piece: Uint8Array): readonly string[] {
		this.read += piece.length;
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
export function withText(before: string, { at, text }: RecordOf<"text">): string {
	return (before.slice(0, at) + text).slice(0, LIMITS.replyBytes);
}

/** The record of a line; undefined for one that is torn, or has a field of another type. */
export function readLine(line: string): JournalRecord | undefined {
	if (line.length > LIMITS.journalLineBytes || !/^\{"t":".*\}\r?$/.test(line)) return undefined;
	try {
		const { t, ...values } = JSON.parse(line) as { readonly t: JournalRecord["t"] };
		// Every field of its kind is read.
		return { t, ...parse<object>(KINDS[t], values, "messages") } as JournalRecord;
	} catch {
		return undefined;
	}
}

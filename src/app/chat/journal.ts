import { ERROR_CODES } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { OUTCOMES } from "#base/reply.ts";
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
import { SERVICE_IDS } from "../connections/services.ts";
import { ATTACHMENTS, STORED_IMAGE } from "./attachments.ts";
import type { WaitingTurn } from "./conversation.ts";
import { CHAT_PARAMETERS } from "./parameters.ts";

/** Version of all that is stored of a conversation. Other versions are left alone. */
export const STORED_VERSION = 2;

/** Debounce of writes, in ms: with the write itself, text is on the disk within 250 ms. */
export const SAVE_AFTER_MS = 100;

/** Maximum time or duration, in ms: the sum of two is still a valid date. */
export const MOST_MS = 1e15;

const NONE = withDefault(text(), null);
const MAYBE = { text: withDefault(text(), undefined), number: withDefault(number(), undefined) };

/** Fields of a queued turn, except its connection. */
export const WAITING = {
	id: text(),
	text: text(),
	after: optional(text()),
	attachments: withDefault(ATTACHMENTS, []),
	parameters: withDefault(CHAT_PARAMETERS, {}),
};

const FAILURE = object({
	service: oneOf(...SERVICE_IDS),
	code: oneOf(...ERROR_CODES),
	message: text(),
	status: MAYBE.number,
	retryAfterMs: MAYBE.number,
	requestId: MAYBE.text,
	field: MAYBE.text,
	isGateway: withDefault(flag(), undefined),
	said: MAYBE.text,
});

const COUNT = withDefault(number(), null);
const USAGE = object({ inputTokens: COUNT, outputTokens: COUNT, cachedTokens: optional(number()) });

/** Fields of the end of a reply, in milliseconds. */
export const END = {
	outcome: oneOf(...OUTCOMES),
	requests: withDefault(number(), 0),
	durationMs: withDefault(number(), 0),
	firstTextMs: COUNT,
	/** Durations of the thinking blocks, by their key. */
	thoughtMs: withDefault(map(number()), {}),
	messageId: NONE,
	/** Model as the service names it. */
	model: NONE,
	role: NONE,
	stopReason: NONE,
	stopSequence: NONE,
	explanation: optional(text()),
	usage: withDefault(USAGE, { inputTokens: null, outputTokens: null }),
	error: withDefault(FAILURE, null),
	/** Use of tools by a paused reply, in words. */
	spent: optional(text()),
	without: optional(list(text())),
};

/** Fields of a block beside its text. */
export const BLOCK_FACTS = { tool: optional(object({ id: text(), name: text() })), signature: optional(text()) };

/** Fields of a call. */
export const CALL = {
	key: text(),
	id: text(),
	name: text(),
	title: text(),
	icon: text(),
	state: oneOf(...CALL_STATES),
	saysAll: optional(flag()),
	scope: optional(text()),
	result: optional(text()),
	ms: optional(number()),
	images: optional(list(STORED_IMAGE)),
};

const ITS_ID = object({ id: text() });
const change = <T>(schema: Schema<T>) => optional(nullable(schema));

/** Schemas of the kinds of records. `at` is in milliseconds since 1970, except in `text`. */
const KINDS = {
	begin: object({ v: number(), id: text(), at: number() }),
	/** Change of the facts; null removes one. */
	facts: object({
		title: change(text()),
		pinned: change(flag()),
		connection: change(text()),
		parameters: change(CHAT_PARAMETERS),
		tools: change(list(text())),
		allowed: change(list(text())),
	}),
	/** Turn of the person. A queued turn keeps its id, and leaves the queue. */
	turn: object({ id: text(), parent: NONE, text: text(), attachments: withDefault(ATTACHMENTS, []), at: number() }),
	/** Request for a reply. */
	reply: object({
		id: text(),
		parent: text(),
		continues: withDefault(flag(), false),
		connectionId: MAYBE.text,
		connection: text(),
		model: text(),
		parameters: CHAT_PARAMETERS,
		at: number(),
	}),
	/** Text of a block that replaces everything from the character `at` on. */
	text: object({
		reply: text(),
		key: text(),
		index: number(),
		type: text(),
		at: number(),
		text: text(),
		...BLOCK_FACTS,
	}),
	/** New state of a call. */
	call: object({ reply: text(), ...CALL }),
	end: object({ reply: text(), ...END }),
	drop: ITS_ID,
	choose: ITS_ID,
	queue: object({ ...WAITING, connection: optional(text()), at: number() }) as Schema<
		WaitingTurn & { readonly at: number }
	>,
	unqueue: ITS_ID,
	/** Ids of all queued turns in a new order. */
	order: object({ ids: list(text()) }),
	/** Time of the deletion; null restores. */
	gone: object({ at: withDefault(number(), null) }),
};

type Records = { readonly [T in keyof typeof KINDS]: { readonly t: T } & Infer<(typeof KINDS)[T]> };

/** Record of a journal: a file of a conversation that only grows, with a line of JSON for each event. */
export type JournalRecord = Records[keyof Records];

/** Record of one kind. */
export type RecordOf<T extends keyof Records> = Records[T];

/** Encodes a record as a line of a journal. */
export function journalLine(record: JournalRecord): string {
	return `${JSON.stringify(record)}\n`;
}

/** Prefixes lines to append with a line break, since an interrupted write may have left an incomplete line. */
export function journalChunk(lines: string): string {
	return `\n${lines}`;
}

const LINE_FEED = 0x0a;

/** Much faster than a decoder that ever had to wait for the rest of a character. */
const WHOLE_LINES = new TextDecoder();

/** Splits a file into lines piece by piece. A line beyond {@link LIMITS.journalLineBytes} is kept in part. */
export class LineReader {
	#decoder: InstanceType<typeof TextDecoder> | undefined;
	/** Incomplete line at the end of the last piece. */
	#begun = "";
	/** Bytes read so far. */
	read = 0;

	/** True if the last line has no end yet. */
	get isInLine(): boolean {
		return this.#begun.trim() !== "";
	}

	/** Takes the next bytes, and returns the lines that end in them, except empty ones. */
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

/** Applies a record to the text of a block, up to {@link LIMITS.replyBytes}. */
export function withText(before: string, { at, text }: RecordOf<"text">): string {
	return (before.slice(0, at) + text).slice(0, LIMITS.replyBytes);
}

/** Decodes a line; undefined if it is incomplete or has a field of another type. */
export function readLine(line: string): JournalRecord | undefined {
	if (line.length > LIMITS.journalLineBytes || !/^\{"t":".*\}\r?$/.test(line)) return undefined;
	try {
		const { t, ...values } = JSON.parse(line) as { readonly t: JournalRecord["t"] };
		return { t, ...parse<object>(KINDS[t], values, "messages") } as JournalRecord;
	} catch {
		return undefined;
	}
}

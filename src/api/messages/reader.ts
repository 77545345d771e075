import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { isCutJson, parseCallJson, parseJson } from "../http/json.ts";
import { accumulate, addContent, emptyReply, type GrowingReply, type ReplyStep } from "./accumulator.ts";
import { type ContentDelta, decodeEvent, eventsOfJson, type InitialBlock, type StreamEvent } from "./events.ts";
import type { BlockDelta, Reply } from "./model.ts";

/** Limits below which pieces of a line wait for its end: the bytes of a piece, and the number of pieces. */
const SMALL_PIECE = 4 * 1024;
const MOST_PIECES = 1_000;
const LF = 10;
const CR = 13;

/** Facts and listeners of one body. */
interface ReaderOptions {
	/** The reply's `content-type`; what the body looks like counts more. */
	readonly contentType: string;
	/** The request id of the reply's headers, already redacted, for errors that name none. */
	readonly requestId: string | null;
	readonly redact: (text: string) => string;
	/** The first event has been decoded, or a body begins that is no stream; called once, before its changes. */
	readonly onBegin?: (() => void) | undefined;
	readonly onBlock?: ((delta: BlockDelta, reply: Reply) => void) | undefined;
}

/**
 * Puts a reply together from the bytes of a 200's body, without any I/O: an SSE stream, one JSON message, or one JSON
 * error, whatever was asked for and whatever the content type claims. All that the bytes hold is taken in before
 * {@link done} is looked at, also what follows `message_stop`.
 */
export class ReplyReader {
	readonly #options: ReaderOptions;
	/** Several times faster than a streaming `TextDecoder` on what is nearly all ASCII. */
	readonly #decoder = new StringDecoder("utf8");
	readonly #parser: EventSourceParser;
	readonly #envelope = new DeltaEnvelope();
	/** True if what was read so far ends with a blank line: the parser holds nothing back. */
	#betweenEvents = false;
	/** The small pieces of a line whose end has not come: one is decoded as fast as a thousand. */
	readonly #line: Uint8Array[] = [];
	#reply: GrowingReply = emptyReply;
	#kind: "unknown" | "stream" | "json" | "other" = "unknown";
	/** Characters of the body without the envelopes of deltas, which are many times their text. */
	#size = 0;
	/** Text that waits for the body's kind to be known, or for the JSON body to be whole. */
	#held: string[] = [];
	/** Deltas of one block that came together, and are added together; see {@link ReplyReader.#hold}. */
	#together: { readonly first: ContentDelta; readonly texts: string[] } | null = null;
	/** The body has ended in the middle of an event: what cannot be read then was cut, not malformed. */
	#cut = false;
	#begun = false;
	/** An event was one of those of a stream of this API. */
	#understood = false;
	/** Content of `message_start`, which counts at the end, where nothing else came. */
	#announced: readonly InitialBlock[] = [];
	#malformed: ClientError | null = null;

	constructor(options: ReaderOptions) {
		this.#options = options;
		this.#parser = createParser({ onEvent: (event) => this.#onEvent(event) });
	}

	get reply(): GrowingReply {
		return this.#reply;
	}

	/** Error that makes the body unreadable, or that the service announced. */
	get error(): ClientError | null {
		return this.#reply.error ?? this.#malformed;
	}

	/** True once nothing more can come that matters. */
	get done(): boolean {
		return this.#reply.finished || this.error !== null;
	}

	/** True once an event was decoded; comments and a part of an event do not count. */
	get begun(): boolean {
		return this.#begun;
	}

	/** Takes in the next bytes. */
	push(bytes: Uint8Array): void {
		if (this.#malformed !== null) return;
		this.#line.push(bytes);
		const isPart = this.#kind === "stream" && bytes.length < SMALL_PIECE && !bytes.includes(LF) && !bytes.includes(CR);
		if (isPart && this.#line.length < MOST_PIECES) return;
		this.#pushText(this.#decoder.write(this.#takeLine()));
		this.#release();
	}

	/**
	 * The body has ended: `whole` if it came to its proper end, not if the connection broke. The last event counts even
	 * if the blank line after it is missing, as long as its data is complete JSON; a JSON body counts only when whole.
	 */
	end(whole: boolean): void {
		if (this.#malformed !== null) return;
		this.#pushText(this.#decoder.write(this.#takeLine()) + this.#decoder.end());
		if (this.#kind === "unknown" && whole) this.#settleKind(true);
		if (this.#kind === "stream" && !this.done) {
			this.#cut = true;
			this.#parser.feed("\n\n");
			this.#release();
			if (whole && this.#begun && !this.#understood) this.#refuse(NOT_THIS_API);
		} else if (this.#kind === "json") this.#readJson(whole);
		if (!this.#reply.finished) this.#addContent([]);
	}

	#takeLine(): Uint8Array {
		const [first = new Uint8Array(), ...rest] = this.#line.splice(0);
		return rest.length === 0 ? first : Buffer.concat([first, ...rest]);
	}

	#pushText(text: string): void {
		if (this.#kind === "stream") {
			this.#pushEvents(text);
			return;
		}
		if (text === "") return;
		this.#held.push(text);
		if (this.#kind === "unknown") this.#settleKind(false);
		else this.#count(text.length);
	}

	#settleKind(last: boolean): void {
		const text = this.#held.join("");
		this.#kind = kindOfBody(text, { contentType: this.#options.contentType, last });
		if (this.#kind !== "stream") {
			const isBlank = text.trim() === "";
			if (this.#kind !== "unknown" && !isBlank) this.#begin();
			const isNone = this.#kind === "other" && !(isBlank && last);
			if (isNone)
				this.#refuse(BINARY.test(text) ? NOT_THIS_API : "The service answered with something that is not a message.");
			return;
		}
		this.#held = [];
		this.#pushEvents(text);
	}

	#pushEvents(text: string): void {
		if (this.#malformed !== null) return;
		this.#count(text.length);
		for (let at = 0; at < text.length; ) {
			const blank = text.indexOf("\n\n", at);
			const end = blank === -1 ? text.length : blank + 2;
			const piece = text.slice(at, end);
			const delta = this.#betweenEvents && blank !== -1 ? this.#envelope.read(piece.slice(0, -2)) : null;
			if (delta === null) this.#parser.feed(piece);
			else this.#hold(delta, piece.length);
			this.#betweenEvents = blank !== -1;
			at = end;
		}
	}

	/** Refuses the rest of a body that grows beyond what a reply may have. */
	#count(characters: number): void {
		this.#size += characters;
		if (this.#size <= LIMITS.replyBytes) return;
		this.#refuse(`The reply is larger than ${LIMITS.replyBytes / 1024 / 1024} MB. The rest was not read.`, "content");
	}

	#readJson(whole: boolean): void {
		const text = this.#held.join("").replace(/^\uFEFF/, "");
		const data = parseCallJson(text);
		const events = eventsOfJson(data);
		if (events !== null) for (const event of events) this.#add(event);
		else if (data !== undefined) this.#refuse("The service answered with JSON that is not a message.");
		else if (whole && parseJson(text.split("\n", 1)[0] ?? "") !== undefined) this.#refuse(NOT_THIS_API);
		else if (whole && !isCutJson(text)) this.#refuse("The service answered with broken JSON.");
	}

	#onEvent({ event: name, data }: EventSourceMessage): void {
		// The name alone proves nothing when the data was still to come.
		if (this.#cut && parseJson(data) === undefined) return;
		this.#begin();
		const event = decodeEvent(name, data);
		if (event === null) return;
		if (event.kind === "content_block_delta") {
			this.#hold(event, data.length);
			if (event.text !== "") this.#envelope.learn(name, data);
		} else {
			this.#release();
			this.#add(event);
		}
	}

	#begin(): void {
		if (this.#begun) return;
		this.#begun = true;
		this.#options.onBegin?.();
	}

	/**
	 * Deltas that arrive in one piece for the same block are one delta for the reducer and the observer: the text is the
	 * same, and a stream that comes in faster than it can be shown costs a step a piece instead of a step a word.
	 * `characters` is the length of the event, which counts for its text only.
	 */
	#hold(delta: ContentDelta, characters: number): void {
		this.#size -= characters - delta.text.length;
		const first = this.#together?.first;
		if (first?.index === delta.index && first.blockType === delta.blockType && delta.unknown === undefined) {
			this.#together?.texts.push(delta.text);
			return;
		}
		this.#release();
		// One by one where each is noted or counted, or where another could be about another block.
		if (delta.index === null || delta.unknown !== undefined || this.#reply.finished) this.#add(delta);
		else this.#together = { first: delta, texts: [delta.text] };
	}

	/** Adds the deltas held back. */
	#release(): void {
		if (this.#together === null) return;
		const { first, texts } = this.#together;
		this.#together = null;
		this.#add(texts.length === 1 ? first : { ...first, text: texts.join("") });
	}

	#add(event: StreamEvent): void {
		const wasFinished = this.#reply.finished;
		this.#understood ||= event.kind !== "unknown" && event.kind !== "malformed";
		this.#take(accumulate(this.#reply, event.kind === "error" ? this.#redacted(event) : event));
		if (wasFinished || !("content" in event)) return;
		if (event.kind === "message_stop") this.#addContent(event.content);
		else if (event.content.length > 0) this.#announced = event.content;
	}

	/** Adds the blocks of a final message; without any, those that `message_start` had where nothing else came. */
	#addContent(final: readonly InitialBlock[]): void {
		const isThere = (at: number) => this.#reply.blocks.some(({ index }) => index === at);
		const rest = this.#announced.map((block, at) => (isThere(at) ? { blockType: "text", text: "" } : block));
		for (const step of addContent(this.#reply, final.length > 0 ? final : rest)) this.#take(step);
	}

	#take({ reply, change }: ReplyStep): void {
		this.#reply = reply;
		if (change !== null) this.#options.onBlock?.(change, reply);
	}

	#redacted(event: StreamEvent & { kind: "error" }): StreamEvent {
		const { redact, requestId } = this.#options;
		const { fault } = event;
		return {
			kind: "error",
			fault: {
				...fault,
				message: redact(fault.message),
				requestId: fault.requestId === null ? requestId : redact(fault.requestId),
			},
		};
	}

	/** Ends a reply that cannot be read; `field` is the part of it that is at fault, where it is a reply at all. */
	#refuse(sentence: string, field?: string): void {
		// Nothing that comes after its end makes a reply unreadable.
		if (this.#reply.finished) return;
		const requestId = this.#options.requestId ?? undefined;
		this.#malformed ??= new ClientError("messages", "malformed", sentence, { requestId, field });
	}
}

/** End of an event behind the text of its delta. */
const CLOSING = '"}}';

/**
 * Recognizes deltas that are spelled like an earlier one but for their text, which nearly all events of a stream are: only
 * their text is parsed.
 */
class DeltaEnvelope {
	/** Event as it came, up to the quotation mark before its text. */
	#opening = "";
	#empty: ContentDelta | null = null;

	/**
	 * Learns the spelling of a delta, whose text must not be empty. If the delta is left without text once its last string
	 * is emptied, that string is the text, and any other may stand in its place.
	 */
	learn(name: string | undefined, data: string): void {
		const before = data.slice(0, data.lastIndexOf('"', data.lastIndexOf('"') - 1) + 1);
		const opening = `${name === undefined ? "" : `event: ${name}\n`}data: ${before}`;
		// Data with a line break came in several lines.
		if (opening === this.#opening || before.includes("\n")) return;
		const event = decodeEvent(name, before + CLOSING);
		if (event?.kind !== "content_block_delta" || event.text !== "") return;
		this.#opening = opening;
		this.#empty = event;
	}

	/** The delta that an event stands for, given without the blank line behind it; null if it has to be read in full. */
	read(event: string): ContentDelta | null {
		const { length } = this.#opening;
		// Several times faster than `startsWith`.
		if (this.#empty === null || event.slice(0, length) !== this.#opening || !event.endsWith(CLOSING)) return null;
		const text = parseJson(event.slice(length - 1, 1 - CLOSING.length));
		return typeof text === "string" ? { ...this.#empty, text } : null;
	}
}

const FIELDS = ["data", "event", "id", "retry"];

/** Sentence about a stream, or lines of JSON, of which no event was understood. */
const NOT_THIS_API = "This is not the messages API's stream.";

/** Signs of bytes that are no text, such as compressed ones whose header says nothing of it. */
const BINARY = /\uFFFD|(?!\s)\p{Cc}/u;

/**
 * Kind of the body that begins with this text. The first characters decide; the content type only if they leave it
 * open. `unknown` while it depends on more text, unless this is the `last` there is.
 */
function kindOfBody(
	text: string,
	{ contentType, last }: { contentType: string; last: boolean },
): "unknown" | "stream" | "json" | "other" {
	const start = text.replace(/^[\uFEFF\s]+/, "");
	if (/^[{["]/.test(start)) return "json";
	if (start.startsWith("<")) return "other";
	const isStream = start.startsWith(":") || FIELDS.some((field) => start.startsWith(`${field}:`));
	if (isStream) return "stream";
	if (BINARY.test(start)) return "other";
	const mayBecome = text.length < LIMITS.sniffCharacters && FIELDS.some((field) => field.startsWith(start));
	if (mayBecome && !last) return "unknown";
	const isBlank = start === "" && !last;
	return !isBlank && /^text\/event-stream\b/i.test(contentType) ? "stream" : "other";
}

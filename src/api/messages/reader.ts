import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { isCutJson, parseCallJson, parseJson } from "../http/json.ts";
import { accumulate, addContent, emptyReply, type GrowingReply, type ReplyStep } from "./accumulator.ts";
import { type ContentDelta, decodeEvent, eventsOfJson, type InitialBlock, type StreamEvent } from "./events.ts";
import type { BlockDelta, Reply } from "./model.ts";

interface ReaderOptions {
	/** Redacted request id of the reply's headers, for errors that name none. */
	readonly requestId: string | null;
	readonly redact: (text: string) => string;
	/** Called once before the first change: an event was decoded, or the body is no stream. */
	readonly onBegin?: (() => void) | undefined;
	readonly onBlock?: ((delta: BlockDelta, reply: Reply) => void) | undefined;
}

/** Assembles a reply from the body of a 200: an SSE stream, JSON message or JSON error, whatever its content type. */
export class ReplyReader {
	readonly #options: ReaderOptions;
	/** Several times faster than a streaming `TextDecoder` on ASCII. */
	readonly #decoder = new StringDecoder("utf8");
	readonly #parser: EventSourceParser;
	#reply: GrowingReply = emptyReply;
	/** Kind of the body by its first characters. */
	#kind: "unknown" | "stream" | "json" = "unknown";
	/** Characters of the body, without the JSON around the text of deltas. */
	#size = 0;
	/** Text of a JSON body so far. */
	readonly #json: string[] = [];
	/** Deltas of one block that arrived in one chunk: joined, they cost one step of the reducer. */
	#together: { readonly first: ContentDelta; text: string } | null = null;
	/** True once the body has ended in an event: unreadable data is then cut off, not malformed. */
	#cut = false;
	#begun = false;
	/** True once a comment or a ping has come. */
	#isKeptAlive = false;
	/** True once an event of this API has come, false if only others have. */
	#isOurs: boolean | undefined;
	/** Content of `message_start`, which counts at the end for indices without a block. */
	#announced: readonly InitialBlock[] = [];
	#malformed: ClientError | null = null;

	constructor(options: ReaderOptions) {
		this.#options = options;
		const onComment = () => {
			this.#isKeptAlive = true;
		};
		this.#parser = createParser({ onEvent: (event) => this.#onEvent(event), onComment });
	}

	get reply(): GrowingReply {
		return this.#reply;
	}

	/** Error of an unreadable body, or announced by the service. */
	get error(): ClientError | null {
		return this.#reply.error ?? this.#malformed;
	}

	/** True once nothing more can come that matters. */
	get done(): boolean {
		return this.#reply.finished || this.error !== null;
	}

	/** True once an event was decoded, comments excluded. */
	get begun(): boolean {
		return this.#begun;
	}

	/** Takes the next bytes, even those behind `message_stop`. */
	push(bytes: Uint8Array): void {
		if (this.#malformed !== null) return;
		this.#pushText(this.#decoder.write(bytes));
		this.#addTogether();
	}

	/**
	 * Ends the body, `whole` unless the connection broke. The last event counts without its blank line if its data is complete
	 * JSON; a JSON body counts only when whole.
	 */
	end(whole: boolean): void {
		if (this.#malformed !== null) return;
		this.#pushText(this.#decoder.end());
		if (this.#kind === "stream" && !this.done) {
			this.#cut = true;
			this.#parser.feed("\n\n");
			this.#addTogether();
			if (whole && !(this.#isOurs ?? this.#isKeptAlive)) this.#refuse(NOT_THIS_API);
		} else if (this.#kind === "json") this.#readJson(whole);
		if (!this.#reply.finished) this.#addContent([]);
	}

	#pushText(text: string): void {
		if (this.#kind === "unknown") this.#kind = kindOfBody(text);
		if (this.#kind === "stream") this.#parser.feed(text);
		else if (this.#kind === "json") {
			this.#begin();
			this.#json.push(text);
		}
		this.#size += text.length;
		if (this.#size > LIMITS.replyBytes)
			this.#refuse(`The reply is larger than ${LIMITS.replyBytes / 1024 / 1024} MB. The rest was not read.`, "content");
	}

	#readJson(whole: boolean): void {
		const text = this.#json.join("").trimStart();
		const data = parseCallJson(text);
		const events = eventsOfJson(data);
		if (events !== null) for (const event of events) this.#add(event);
		else if (data !== undefined) this.#refuse("The service answered with JSON that is not a message.");
		else if (whole && parseJson(text.split("\n", 1)[0] ?? "") !== undefined) this.#refuse(NOT_THIS_API);
		else if (whole && !isCutJson(text)) this.#refuse("The service answered with broken JSON.");
	}

	#onEvent({ event: name, data }: EventSourceMessage): void {
		if (this.#cut && parseJson(data) === undefined) return;
		this.#begin();
		const event = decodeEvent(name, data);
		if (event === null) return;
		if (event.kind !== "content_block_delta") {
			this.#addTogether();
			this.#add(event);
			return;
		}
		this.#size -= data.length - event.text.length;
		if (this.#together !== null && isOfSameBlock(this.#together.first, event)) {
			this.#together.text += event.text;
		} else {
			this.#addTogether();
			this.#together = { first: event, text: event.text };
		}
	}

	#begin(): void {
		if (this.#begun) return;
		this.#begun = true;
		this.#options.onBegin?.();
	}

	#addTogether(): void {
		const together = this.#together;
		this.#together = null;
		if (together !== null) this.#add({ ...together.first, text: together.text });
	}

	#add(event: StreamEvent): void {
		const wasFinished = this.#reply.finished;
		if (event.kind === "ping") this.#isKeptAlive = true;
		else this.#isOurs ||= event.kind !== "unknown" && event.kind !== "malformed";
		this.#take(accumulate(this.#reply, event.kind === "error" ? this.#redacted(event) : event));
		if (wasFinished || !("content" in event)) return;
		if (event.kind === "message_stop") this.#addContent(event.content);
		else if (event.content.length > 0) this.#announced = event.content;
	}

	/** Adds the blocks of a final message, else those of `message_start` on indices without a block. */
	#addContent(final: readonly InitialBlock[]): void {
		const isThere = (at: number) => this.#reply.blocks.some(({ index }) => index === at);
		const rest = this.#announced.map((block, at) => (isThere(at) ? { blockType: "text", text: "" } : block));
		for (const step of addContent(this.#reply, final.length > 0 ? final : rest)) this.#take(step);
	}

	#take({ reply, change }: ReplyStep): void {
		this.#reply = reply;
		if (change !== null) this.#options.onBlock?.(change, reply);
	}

	#redacted({ kind, fault }: StreamEvent & { kind: "error" }): StreamEvent {
		const { redact } = this.#options;
		const requestId = fault.requestId === null ? this.#options.requestId : redact(fault.requestId);
		return { kind, fault: { ...fault, message: redact(fault.message), requestId } };
	}

	/** Ends an unreadable reply; `field` is the part of it at fault, if it is a reply at all. */
	#refuse(sentence: string, field?: string): void {
		if (this.#reply.finished) return;
		const requestId = this.#options.requestId ?? undefined;
		this.#malformed ??= new ClientError("messages", "malformed", sentence, { requestId, field });
	}
}

function isOfSameBlock(one: ContentDelta, other: ContentDelta): boolean {
	return one.index === other.index && one.blockType === other.blockType && one.unknown === other.unknown;
}

const NOT_THIS_API = "This is not the messages API's stream.";

/** Kind of the body that begins with this text; not known from blank text or a byte order mark. */
function kindOfBody(text: string): "unknown" | "stream" | "json" {
	const start = text.trimStart();
	if (start === "") return "unknown";
	return /^[{["]/.test(start) ? "json" : "stream";
}

import { isRecord, parseJson, textOf } from "../http/json.ts";
import { readFault, type ServiceFault } from "./fault.ts";

/** What an event says about the message itself; null where it says nothing usable. */
export interface MessageChanges {
	readonly id: string | null;
	readonly model: string | null;
	readonly role: string | null;
	readonly stopReason: string | null;
	readonly stopSequence: string | null;
	readonly inputTokens: number | null;
	readonly outputTokens: number | null;
}

/** A content block as a start event, or a whole message, first shows it. */
export interface InitialBlock {
	readonly blockType: string;
	readonly text: string;
}

/**
 * The events of a stream (contract section 6), with what this client does not know (`unknown`) and what is not the JSON
 * it should be (`malformed`). An index is null where the event has none that is usable.
 */
export type StreamEvent =
	| { readonly kind: "message_start"; readonly changes: MessageChanges; readonly content: readonly InitialBlock[] }
	| ({ readonly kind: "content_block_start"; readonly index: number | null } & InitialBlock)
	| ContentDelta
	| { readonly kind: "content_block_stop"; readonly index: number | null }
	| { readonly kind: "message_delta"; readonly changes: MessageChanges }
	| { readonly kind: "message_stop"; readonly changes: MessageChanges }
	| { readonly kind: "ping" }
	| { readonly kind: "error"; readonly fault: ServiceFault }
	| { readonly kind: "unknown"; readonly name: string }
	| { readonly kind: "malformed" };

/** A piece of a block. */
export interface ContentDelta {
	readonly kind: "content_block_delta";
	readonly index: number | null;
	/** The type of block such a delta belongs to, for a block whose start is missing. */
	readonly blockType: string;
	readonly text: string;
	/** The type of a delta that this client does not know, but whose `text` is kept all the same. */
	readonly unknownType?: string;
}

const KINDS: ReadonlySet<string> = new Set([
	"message_start",
	"content_block_start",
	"content_block_delta",
	"content_block_stop",
	"message_delta",
	"message_stop",
	"ping",
	"error",
]);

const malformed: StreamEvent = { kind: "malformed" };
const ping: StreamEvent = { kind: "ping" };

/**
 * The event that one SSE event stands for; null for what carries nothing (`[DONE]`, empty data without a name). The
 * `type` in the data counts, and the name of the `event:` line where that type is missing or not a kind of event: an
 * error may be reported as `event: error` with a type of its own.
 */
export function decodeEvent(name: string | undefined, data: string): StreamEvent | null {
	const trimmed = data.trim();
	if (trimmed === "[DONE]") return null;
	if (trimmed === "") return name === undefined ? null : decodeRecord(name, {});
	const parsed = parseJson(trimmed);
	if (isRecord(parsed)) return decodeRecord(name, parsed);
	return name === "ping" ? ping : malformed;
}

function decodeRecord(name: string | undefined, data: Record<string, unknown>): StreamEvent {
	const type = textOf(data["type"]);
	const kind = type !== null && KINDS.has(type) ? type : (name ?? type ?? "");
	switch (kind) {
		case "message_start":
			return decodeMessageStart(data["message"]);
		case "content_block_start":
			return decodeBlockStart(data);
		case "content_block_delta":
			return decodeDelta(data);
		case "content_block_stop":
			return { kind, index: indexOf(data["index"]) };
		case "message_delta":
		case "message_stop":
			return { kind, changes: readChanges([data["message"], data["delta"], data]) };
		case "ping":
			return ping;
		case "error":
			return { kind, fault: readFault(data) ?? { type: null, status: null, message: "", requestId: null } };
		default:
			return decodeNameless(name, data);
	}
}

/** An error is one whatever it is called; everything else is not known here. */
function decodeNameless(name: string | undefined, data: Record<string, unknown>): StreamEvent {
	const type = textOf(data["type"]);
	const reportsError = isRecord(data["error"]) || type?.endsWith("_error") === true;
	const fault = reportsError ? readFault(data) : null;
	return fault === null ? { kind: "unknown", name: type ?? name ?? "" } : { kind: "error", fault };
}

function decodeMessageStart(message: unknown): StreamEvent {
	if (!isRecord(message)) return malformed;
	const content = Array.isArray(message["content"]) ? message["content"].filter(isRecord).map(readBlock) : [];
	return { kind: "message_start", changes: readChanges([message]), content };
}

function decodeBlockStart(data: Record<string, unknown>): StreamEvent {
	const block = data["content_block"];
	if (!isRecord(block)) return malformed;
	return { kind: "content_block_start", index: indexOf(data["index"]), ...readBlock(block) };
}

/** A block with the text it already has: a tool's complete input is shown as JSON. */
export function readBlock(block: Readonly<Record<string, unknown>>): InitialBlock {
	const blockType = textOf(block["type"]) ?? "text";
	const input = block["input"];
	const hasInput = isRecord(input) && Object.keys(input).length > 0;
	const text = textOf(block["text"]) ?? textOf(block["thinking"]) ?? (hasInput ? JSON.stringify(input) : "");
	return { blockType, text };
}

/** Deltas with text: the field it is in and the block type it belongs to. */
const TEXT_OF_DELTA: ReadonlyMap<string, { readonly field: string; readonly blockType: string }> = new Map([
	["text_delta", { field: "text", blockType: "text" }],
	["thinking_delta", { field: "thinking", blockType: "thinking" }],
	["input_json_delta", { field: "partial_json", blockType: "tool_use" }],
]);

/** A delta of an unknown type keeps its `text` if it has one; without text it is only noted, like a signature. */
function decodeDelta(data: Record<string, unknown>): StreamEvent {
	const delta = data["delta"];
	if (!isRecord(delta)) return malformed;
	const index = indexOf(data["index"]);
	const type = textOf(delta["type"]);
	const known = type === null ? undefined : TEXT_OF_DELTA.get(type);
	if (known !== undefined) {
		const text = textOf(delta[known.field]);
		return text === null ? malformed : { kind: "content_block_delta", index, blockType: known.blockType, text };
	}
	const text = textOf(delta["text"]);
	if (text === null) return type === null ? malformed : { kind: "unknown", name: type };
	const blockType = type?.replace(/_delta$/, "") || "text";
	return { kind: "content_block_delta", index, blockType, text, unknownType: type ?? "" };
}

/** What several objects say about the message, later ones over earlier ones; null and nonsense say nothing. */
export function readChanges(sources: readonly unknown[]): MessageChanges {
	const records = sources.filter(isRecord);
	const usages = records.map((record) => record["usage"]).filter(isRecord);
	const text = (field: string) => records.findLast((record) => textOf(record[field]) !== null)?.[field];
	const count = (field: string) => usages.findLast((usage) => countOf(usage[field]) !== null)?.[field];
	return {
		id: textOf(text("id")),
		model: textOf(text("model")),
		role: textOf(text("role")),
		stopReason: textOf(text("stop_reason")),
		stopSequence: textOf(text("stop_sequence")),
		inputTokens: countOf(count("input_tokens")),
		outputTokens: countOf(count("output_tokens")),
	};
}

function indexOf(value: unknown): number | null {
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function countOf(value: unknown): number | null {
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

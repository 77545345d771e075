import { isRecord, parseCallJson, textOf } from "../http/json.ts";
import { reasonIn } from "../http/reason.ts";
import { readFault, type ServiceFault } from "./fault.ts";
import type { Block } from "./model.ts";

/** Facts of the message in an event; null where it has none that is usable. */
export interface MessageChanges {
	readonly id: string | null;
	readonly model: string | null;
	readonly role: string | null;
	readonly stopReason: string | null;
	readonly stopSequence: string | null;
	/** Why the service has refused; absent where it does not say. */
	readonly explanation?: string;
	/** All of the input, with what was read from the service's cache and written to it, which services count beside it. */
	readonly inputTokens: number | null;
	readonly outputTokens: number | null;
	/** Absent where the event reports none. */
	readonly cachedTokens?: number;
}

/** A content block as a start event, or a whole message, first shows it. */
export interface InitialBlock extends Pick<Block, "tool" | "signature"> {
	readonly blockType: string;
	readonly text: string;
	/** Type of a block that this client does not know. */
	readonly unknown?: string;
}

/**
 * The events of a stream (contract section 6), with what this client does not know (`unknown`) and what is not the JSON
 * it should be (`malformed`). An index is null where the event has none that is usable.
 */
export type StreamEvent =
	| { readonly kind: "message_start"; readonly changes: MessageChanges; readonly content: readonly InitialBlock[] }
	| ({ readonly kind: "content_block_start"; readonly index: number | null } & InitialBlock)
	| ContentDelta
	| { readonly kind: "signature_delta"; readonly index: number | null; readonly signature: string }
	| { readonly kind: "content_block_stop"; readonly index: number | null }
	| { readonly kind: "message_delta"; readonly changes: MessageChanges }
	| { readonly kind: "message_stop"; readonly changes: MessageChanges; readonly content: readonly InitialBlock[] }
	| { readonly kind: "ping" }
	| { readonly kind: "error"; readonly fault: ServiceFault }
	| { readonly kind: "unknown"; readonly unknown: string }
	| { readonly kind: "malformed" };

/** A piece of a block. */
export interface ContentDelta {
	readonly kind: "content_block_delta";
	readonly index: number | null;
	/** The type of block such a delta belongs to, for a block whose start is missing. */
	readonly blockType: string;
	readonly text: string;
	/** Type of a delta that this client does not know; its text goes to the block all the same. */
	readonly unknown?: string;
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

/** Block types that this client knows; any other is kept as a block all the same, and noted. */
const KNOWN_BLOCKS: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

const noFault: ServiceFault = { type: null, status: null, message: "", requestId: null };
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
	const parsed = parseCallJson(trimmed);
	if (isRecord(parsed)) return decodeRecord(name, parsed);
	if (name === "error") return { kind: "error", fault: { ...noFault, message: textOf(parsed) ?? trimmed } };
	return name === "ping" ? ping : malformed;
}

function decodeRecord(name: string | undefined, data: Record<string, unknown>): StreamEvent {
	const type = textOf(data["type"]);
	const kind = type !== null && KINDS.has(type) ? type : (name ?? type ?? "");
	if (isRecord(data["error"]) && !carriesText(kind, data)) return { kind: "error", fault: readFault(data) ?? noFault };
	const { message, content_block: block } = data;
	switch (kind) {
		case "message_start":
			return isRecord(message) ? { kind, changes: readChanges([message]), content: contentOf(message) } : malformed;
		case "content_block_start":
			return { kind, index: indexOf(data["index"]), ...readBlock(isRecord(block) ? block : {}) };
		case "content_block_delta":
			return decodeDelta(data);
		case "content_block_stop":
			return { kind, index: indexOf(data["index"]) };
		case "message_delta":
			return { kind, changes: readChanges([message, data["delta"], data]) };
		case "message_stop":
			return { kind, changes: readChanges([message, data["delta"], data]), content: contentOf(message) };
		case "ping":
			return ping;
		case "error":
			return { kind, fault: readFault(data) ?? noFault };
		default: {
			// An error is one whatever it is called, or without a name. A chunk of another API has words that are none.
			const isChunk = "choices" in data || "candidates" in data || isRecord(message);
			const isNameless = type === null && name === undefined && !isChunk;
			const fault = isNameless || type?.endsWith("_error") ? readFault(data) : null;
			return fault === null ? { kind: "unknown", unknown: type ?? name ?? "" } : { kind: "error", fault };
		}
	}
}

/** Text is worth more than an error that comes with it. */
function carriesText(kind: string, data: Record<string, unknown>): boolean {
	if (kind === "content_block_start") return isRecord(data["content_block"]);
	return kind === "content_block_delta" && data["delta"] !== undefined;
}

/** The blocks of a message (contract section 2), whose content some services give as mere text. */
function contentOf(message: unknown): readonly InitialBlock[] {
	const said = isRecord(message) ? message["content"] : undefined;
	if (typeof said === "string") return [{ blockType: "text", text: said }];
	return Array.isArray(said) ? said.filter(isRecord).map(readBlock) : [];
}

/** A block with the text it already has: a tool's complete input, and whatever an unknown block carries, is JSON. */
function readBlock(block: Readonly<Record<string, unknown>>): InitialBlock {
	const { type, text, thinking, input, ...rest } = block;
	const blockType = textOf(type) ?? "text";
	if (blockType === "tool_use") return readCall(block);
	if (!KNOWN_BLOCKS.has(blockType)) {
		const payload = { text: text || undefined, thinking, input, ...rest };
		return { blockType, text: textOf(text) || textOf(thinking) || jsonOf(payload), unknown: blockType };
	}
	const signature = textOf(rest[blockType === "redacted_thinking" ? "data" : "signature"]);
	const initial = { blockType, text: textOf(text) || textOf(thinking) || "" };
	return signature ? { ...initial, signature } : initial;
}

/**
 * A call of a tool. Its input is `{}` at the start of a stream, and complete in a whole message; what is no object stays as
 * it is, so that such a call is never taken for one without input.
 */
function readCall({ id, name, input }: Readonly<Record<string, unknown>>): InitialBlock {
	const tool = { id: textOf(id) ?? "", name: textOf(name) ?? "" };
	const isNothing = input === undefined || input === null || input === "";
	const isEmpty = isNothing || (isRecord(input) && Object.keys(input).length === 0);
	const initial = { blockType: "tool_use", text: isEmpty ? "" : JSON.stringify(input) };
	return tool.id + tool.name === "" ? initial : { ...initial, tool };
}

/** JSON of an object's fields; no text if none holds anything. */
function jsonOf(payload: unknown): string {
	const isEmpty = !isRecord(payload) || Object.values(payload).every((value) => value === undefined || value === null);
	return isEmpty ? "" : JSON.stringify(payload);
}

/** Known deltas: the field that their text is in, and the block type it belongs to. */
const KNOWN_DELTAS: ReadonlyMap<string, { readonly field: string; readonly blockType: string }> = new Map([
	["text_delta", { field: "text", blockType: "text" }],
	["thinking_delta", { field: "thinking", blockType: "thinking" }],
	["input_json_delta", { field: "partial_json", blockType: "tool_use" }],
	["signature_delta", { field: "signature", blockType: "thinking" }],
]);

/**
 * A delta of an unknown type keeps its text: its `text`, else the only other text there is in it. Without any it is only
 * noted. A signature is no text for a person.
 */
function decodeDelta(data: Record<string, unknown>): StreamEvent {
	const index = indexOf(data["index"]);
	// Servers that leave out empty fields leave out an empty delta as well.
	const given = data["delta"] ?? "";
	const delta = typeof given === "string" ? { text: given } : given;
	if (!isRecord(delta)) return malformed;
	const type = textOf(delta["type"]);
	const known = type === null ? undefined : KNOWN_DELTAS.get(type);
	const said = delta[known?.field ?? "text"];
	// Read only where it is needed: nearly all deltas have their text in its place.
	const others = typeof said === "string" ? [] : textsBesideType(delta);
	const isEmpty = said === null || (said === undefined && others.length === 0);
	if (known !== undefined && (typeof said === "string" || isEmpty)) {
		const text = textOf(said) ?? "";
		if (type === "signature_delta") return { kind: type, index, signature: text };
		return { kind: "content_block_delta", index, blockType: known.blockType, text };
	}
	const text = textOf(said) ?? (others.length === 1 ? others[0] : type === null && isEmpty ? "" : undefined);
	if (text === undefined) {
		return type === null || known !== undefined ? malformed : { kind: "unknown", unknown: type };
	}
	const blockType = known?.blockType ?? (type?.replace(/_delta$/, "") || "text");
	return { kind: "content_block_delta", index, blockType, text, unknown: type ?? "" };
}

function textsBesideType({ type: _type, ...rest }: Readonly<Record<string, unknown>>): readonly string[] {
	return Object.values(rest).filter((value) => typeof value === "string");
}

/** Facts of the message in several objects, later ones over earlier ones; null and nonsense are ignored. */
function readChanges(sources: readonly unknown[]): MessageChanges {
	const records = sources.filter(isRecord);
	const usages = records.map((record) => record["usage"]).filter(isRecord);
	const text = (field: string) => records.findLast((record) => textOf(record[field]) !== null)?.[field];
	const count = (field: string) => countOf(usages.findLast((usage) => countOf(usage[field]) !== null)?.[field]);
	const input = count("input_tokens");
	const cachedTokens = count("cache_read_input_tokens");
	const explanation = reasonIn(records.findLast((record) => record["stop_details"])?.["stop_details"] ?? "");
	return {
		id: textOf(text("id")),
		model: textOf(text("model")),
		role: textOf(text("role")),
		stopReason: textOf(text("stop_reason") ?? text("finish_reason")),
		stopSequence: textOf(text("stop_sequence")),
		...(explanation === "" ? {} : { explanation }),
		inputTokens: input === null ? null : input + (cachedTokens ?? 0) + (count("cache_creation_input_tokens") ?? 0),
		outputTokens: count("output_tokens"),
		...(cachedTokens === null ? {} : { cachedTokens }),
	};
}

function indexOf(value: unknown): number | null {
	return countOf(typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value);
}

function countOf(value: unknown): number | null {
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/**
 * A JSON body as the events that would have streamed it, so that a plain reply and a streamed one are put together in
 * the same place: a message (contract section 2), an error, or a message with an error. Null for JSON that is neither.
 */
export function eventsOfJson(data: unknown): readonly StreamEvent[] | null {
	if (Array.isArray(data)) return eventsOfJson(data[0]);
	if (!isRecord(data)) return null;
	const { type, content: said, error } = data;
	const isMessage = type !== "error" && (Array.isArray(said) || typeof said === "string");
	const fault = isMessage && !isRecord(error) && !(typeof error === "string" && error !== "") ? null : readFault(data);
	const failed: readonly StreamEvent[] = fault === null ? [] : [{ kind: "error", fault }];
	if (!isMessage) return fault === null ? null : failed;
	const changes = readChanges([data]);
	const content = contentOf(data);
	return [
		...content.flatMap((block, index): readonly StreamEvent[] => [
			{ kind: "content_block_start", index, ...block },
			{ kind: "content_block_stop", index },
		]),
		...failed,
		{ kind: "message_stop", changes, content: [] },
	];
}

import { isRecord, parseCallJson, textOf } from "../http/json.ts";
import { reasonIn } from "../http/reason.ts";
import { readFault, type ServiceFault } from "./fault.ts";
import type { Block } from "./model.ts";

/** Facts of the message in an event; null where an event has no usable one. */
export interface MessageChanges {
	readonly id: string | null;
	readonly model: string | null;
	readonly role: string | null;
	readonly stopReason: string | null;
	readonly stopSequence: string | null;
	/** Reason for a refusal. */
	readonly explanation?: string;
	/** All input tokens, including those read from and written to the service's cache, which services count separately. */
	readonly inputTokens: number | null;
	readonly outputTokens: number | null;
	/** Absent where the event reports none. */
	readonly cachedTokens?: number;
}

/** Content block of a start event or of a whole message. */
export interface InitialBlock extends Pick<Block, "tool" | "signature"> {
	readonly blockType: string;
	readonly text: string;
	readonly unknown?: string;
}

/** Event of a stream (contract section 6), of an unknown type, or unreadable. An index is null if it is not usable. */
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

/** Piece of a block's text. */
export interface ContentDelta {
	readonly kind: "content_block_delta";
	readonly index: number | null;
	/** Block type that this delta implies, if the block's start never came. */
	readonly blockType: string;
	readonly text: string;
	/** Type of an unknown delta, whose text still counts. */
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

/** Known block types; a block of another type is kept and noted. */
const KNOWN_BLOCKS: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

const noFault: ServiceFault = { type: null, status: null, message: "", requestId: null };
const malformed: StreamEvent = { kind: "malformed" };
const ping: StreamEvent = { kind: "ping" };

/**
 * Decodes an SSE event; null for one without content (`[DONE]`, empty data without a name). The `type` in the data counts,
 * or the name of the `event:` line if that is no known kind: `event: error` may come with a type of its own.
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
			// An error may have any name or none. The words in a chunk of another API are no error.
			const isChunk = "choices" in data || "candidates" in data || isRecord(message);
			const isNameless = type === null && name === undefined && !isChunk;
			const fault = isNameless || type?.endsWith("_error") ? readFault(data) : null;
			return fault === null ? { kind: "unknown", unknown: type ?? name ?? "" } : { kind: "error", fault };
		}
	}
}

function carriesText(kind: string, data: Record<string, unknown>): boolean {
	if (kind === "content_block_start") return isRecord(data["content_block"]);
	return kind === "content_block_delta" && data["delta"] !== undefined;
}

/** Reads the blocks of a message (contract section 2), whose content some services give as plain text. */
function contentOf(message: unknown): readonly InitialBlock[] {
	const said = isRecord(message) ? message["content"] : undefined;
	if (typeof said === "string") return [{ blockType: "text", text: said }];
	return Array.isArray(said) ? said.filter(isRecord).map(readBlock) : [];
}

/** Reads a block and its initial text. The payload of an unknown block becomes JSON. */
function readBlock(block: Readonly<Record<string, unknown>>): InitialBlock {
	const { type, text, thinking, input, ...rest } = block;
	const blockType = textOf(type) ?? "text";
	if (blockType === "tool_use") return readCall(block);
	if (!KNOWN_BLOCKS.has(blockType)) {
		const payload = { text: text || undefined, thinking, input, ...rest };
		const isEmpty = Object.values(payload).every((value) => value === undefined || value === null);
		const json = isEmpty ? "" : JSON.stringify(payload);
		return { blockType, text: textOf(text) || textOf(thinking) || json, unknown: blockType };
	}
	const signature = textOf(rest[blockType === "redacted_thinking" ? "data" : "signature"]);
	const initial = { blockType, text: textOf(text) || textOf(thinking) || "" };
	return signature ? { ...initial, signature } : initial;
}

/** Reads a tool call. An input that is no object is kept, so that the call is not taken for one without input. */
function readCall({ id, name, input }: Readonly<Record<string, unknown>>): InitialBlock {
	const tool = { id: textOf(id) ?? "", name: textOf(name) ?? "" };
	const isNothing = input === undefined || input === null || input === "";
	const isEmpty = isNothing || (isRecord(input) && Object.keys(input).length === 0);
	const initial = { blockType: "tool_use", text: isEmpty ? "" : JSON.stringify(input) };
	return tool.id + tool.name === "" ? initial : { ...initial, tool };
}

/** Known deltas, with the field of their text and their block type. */
const KNOWN_DELTAS: ReadonlyMap<string, { readonly field: string; readonly blockType: string }> = new Map([
	["text_delta", { field: "text", blockType: "text" }],
	["thinking_delta", { field: "thinking", blockType: "thinking" }],
	["input_json_delta", { field: "partial_json", blockType: "tool_use" }],
	["signature_delta", { field: "signature", blockType: "thinking" }],
]);

/** Decodes a delta. One of an unknown type keeps its `text`, else the only other text in it; without any it is noted. */
function decodeDelta(data: Record<string, unknown>): StreamEvent {
	const index = indexOf(data["index"]);
	// Servers that omit empty fields omit an empty delta, too.
	const given = data["delta"] ?? "";
	const delta = typeof given === "string" ? { text: given } : given;
	if (!isRecord(delta)) return malformed;
	const type = textOf(delta["type"]);
	const known = type === null ? undefined : KNOWN_DELTAS.get(type);
	const said = delta[known?.field ?? "text"];
	// Only on demand: nearly all deltas have their text in the known field.
	const others =
		typeof said === "string" ? [] : Object.values({ ...delta, type: null }).flatMap((each) => textOf(each) ?? []);
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

/** Reads the facts of the message from several objects; later ones win, null and nonsense are ignored. */
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

/** Events that would have streamed a JSON body: a message (contract section 2), an error, or both; else null. */
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

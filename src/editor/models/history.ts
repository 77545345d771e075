import { isRecord, parseJson } from "#api/http/json.ts";
import type {
	Block,
	ImageBlock,
	InputBlock,
	InputMessage,
	TextBlock,
	ToolDefinition,
	ToolResultBlock,
} from "#api/messages/model.ts";
import { joinTurns, thoughtOf } from "#app/chat/input-messages.ts";
import type { Capabilities } from "#app/connections/capabilities.ts";
import { list, object, oneOf, parsedJson, text, union } from "#base/schema.ts";
import { sizeOf } from "#base/tokens.ts";

/**
 * Message of a caller that keeps the conversation itself. Its parts are objects of the editor, known by their fields: an
 * extension may hand on subclasses and copies of them, and newer editors have kinds of their own.
 */
interface CallersMessage {
	readonly role: "user" | "assistant";
	readonly content: readonly unknown[];
}

/** Reader of a history, as far as what is sent depends on that. */
interface HistoryReader extends Pick<Capabilities, "images" | "documents" | "thinking"> {
	/** False where the request offers no tools: services refuse calls in it then. */
	readonly tools: boolean;
	/** Id of the model as the editor has it: only its own thinking goes back to it. */
	readonly model: string;
}

/** A part that is no thinking of ours is read with these. */
type PartReader = Pick<HistoryReader, "images" | "documents">;

const TEXT_ONLY: PartReader = { images: false, documents: false };

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Larger images are refused by services, with the whole request. Bytes. */
const MOST_IMAGE_BYTES = 5_000_000;

/** About as many tokens are one image at most. */
const IMAGE_TOKENS = 1_600;

/** Estimated overhead of a message, in tokens. */
const FRAME = 4;

const NO_RESULT = "(no result)";

/**
 * A history as a request carries it, whatever model began it. Ids of calls are made valid and unique. Each call has one
 * result, right behind it: a call without a result gets one that says so, and a result without a call becomes a line of
 * text, as does what the model does not take. Never throws.
 */
export function historyMessages(history: readonly CallersMessage[], reader: HistoryReader): InputMessage[] {
	const used = new Set<string>();
	const turns: InputMessage[] = [];
	let open: Call[] = [];
	for (const { role, content } of turnsOf(history)) {
		if (role === "user") {
			turns.push({ role, content: contentOf(answered(open, content, reader)) });
			open = [];
		} else {
			const calls: Call[] = [];
			const blocks = content.flatMap((part): InputBlock[] => {
				const call = reader.tools ? callOf(part, used) : undefined;
				if (call === undefined) return blocksOf(part, TEXT_ONLY);
				calls.push(call);
				return [call.block];
			});
			const thoughts = content.flatMap((part) => markedThoughts(part, reader));
			turns.push({ role, content: contentOf([...thoughts, ...blocks]) });
			open = calls;
		}
	}
	if (open.length > 0) turns.push({ role: "user", content: answered(open, [], reader) });
	return joinTurns(turns);
}

/** Text of a message or of a tool's result: what is none becomes a line of it, thinking and marks are left out. */
export function partsText(content: readonly unknown[]): string {
	const blocks = content.flatMap((part) => blocksOf(part, TEXT_ONLY));
	return blocks.map((block) => ("text" in block ? block.text : "")).join("");
}

/** About how many tokens a message is, its frame included. Never throws. */
export function messageTokens(content: unknown): number {
	return FRAME + tokensOf(Array.isArray(content) ? content : [content]);
}

function tokensOf(parts: readonly unknown[]): number {
	const counts = parts.map((part) => {
		const result = resultOf(part);
		if (result !== undefined) return tokensOf(result.content);
		const blocks = blocksOf(part, { images: true, documents: true });
		return blocks.reduce((sum, block) => sum + ("text" in block ? sizeOf(block.text).tokens : IMAGE_TOKENS), 0);
	});
	return counts.reduce((sum, count) => sum + count, 0);
}

/** A tool as a request names it: services take letters, digits, `_` and `-`, and the schema of an object. */
export function toolDefinition(tool: {
	readonly name: string;
	readonly description: string;
	readonly inputSchema?: object | undefined;
}): ToolDefinition {
	const { $schema: _, ...schema }: Record<string, unknown> = isRecord(tool.inputSchema) ? tool.inputSchema : {};
	const isObject = schema["type"] === "object" || (schema["type"] === undefined && isRecord(schema["properties"]));
	const input = isObject ? { properties: {}, ...schema, type: "object" } : { type: "object", properties: {} };
	return { name: wireName(tool.name), description: tool.description, input_schema: input };
}

function wireName(name: string): string {
	return name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "_";
}

const MARK = "stateful_marker";

const THOUGHTS = object({
	model: text(),
	blocks: list(
		union(
			object({ type: oneOf("thinking"), thinking: text(), signature: text() }),
			object({ type: oneOf("redacted_thinking"), data: text() }),
		),
	),
});

/**
 * Mark that the editor keeps with a reply and hands back: the thinking with its signatures, without which a service does
 * not go on from it. The editor's own Chat splits it at backslashes into a model and a text, hence base64. Undefined
 * where there is nothing to keep.
 */
export function thinkingMark(model: string, blocks: readonly Block[]): string | undefined {
	const thoughts = blocks.flatMap((block) => thoughtOf(block) ?? []);
	if (thoughts.length === 0) return undefined;
	return `${model}\\${Buffer.from(JSON.stringify({ model, blocks: thoughts })).toString("base64url")}`;
}

function markedThoughts(part: unknown, { thinking, model }: HistoryReader): readonly InputBlock[] {
	const data = dataOf(part);
	if (thinking === false || data?.mimeType !== MARK) return [];
	const [, mark = ""] = new TextDecoder().decode(data.bytes).split("\\");
	const kept = parsedJson(THOUGHTS, Buffer.from(mark, "base64url").toString());
	return kept?.model === model ? kept.blocks : [];
}

/** Messages with neighbors of one role as one. */
function turnsOf(history: readonly CallersMessage[]): CallersMessage[] {
	const turns: CallersMessage[] = [];
	for (const message of history) {
		const last = turns.at(-1);
		if (last?.role !== message.role) turns.push(message);
		else turns[turns.length - 1] = { ...last, content: [...last.content, ...message.content] };
	}
	return turns;
}

/** A call as the caller has it, and as it is sent. */
interface Call {
	readonly callId: string;
	readonly block: InputBlock & { readonly type: "tool_use" };
}

/** Some models give every call of a conversation the same id: the next one of that id is another. */
function callOf(part: unknown, used: Set<string>): Call | undefined {
	if (!isCall(part)) return undefined;
	const base = part.callId.replaceAll(/[^\w-]/g, "_").slice(0, 56) || "call";
	let id = base;
	for (let count = 2; used.has(id); count++) id = `${base}-${count}`;
	used.add(id);
	const input = parseJson(jsonOf(part.input));
	const block = { type: "tool_use", id, name: wireName(part.name), input: isRecord(input) ? input : {} } as const;
	return { callId: part.callId, block };
}

/** The user's turn behind some calls: one result for each first, then the rest. */
function answered(calls: readonly Call[], parts: readonly unknown[], reader: HistoryReader): InputBlock[] {
	const open = [...calls];
	const results: ToolResultBlock[] = [];
	const rest: InputBlock[] = [];
	for (const part of parts) {
		const result = resultOf(part);
		const at = open.findIndex(({ callId }) => callId === result?.callId);
		const [call] = at < 0 ? [] : open.splice(at, 1);
		if (call === undefined || result === undefined) {
			rest.push(...blocksOf(part, reader));
			continue;
		}
		const blocks = result.content.flatMap((each) => blocksOf(each, { ...reader, documents: false }));
		const content = contentOf(blocks.filter(isTextOrImage)) || NO_RESULT;
		const failed = result.isError ? { is_error: true as const } : {};
		results.push({ type: "tool_result", tool_use_id: call.block.id, content, ...failed });
	}
	for (const { block } of open) {
		results.push({ type: "tool_result", tool_use_id: block.id, content: NO_RESULT, is_error: true });
	}
	return [...results, ...rest];
}

function isTextOrImage(block: InputBlock): block is TextBlock | ImageBlock {
	return block.type === "text" || block.type === "image";
}

/** Blocks with neighboring texts as one, without blank ones; text alone is no list of blocks, as the contract has it. */
function contentOf<B extends InputBlock>(blocks: readonly B[]): string | readonly B[] {
	const joined: B[] = [];
	for (const block of blocks) {
		const last = joined.at(-1);
		if (last !== undefined && "text" in last && "text" in block) {
			joined[joined.length - 1] = { ...last, text: last.text + block.text };
		} else joined.push(block);
	}
	const kept = joined.filter((block) => !("text" in block) || block.text.trim() !== "");
	const [first] = kept;
	if (first === undefined) return "";
	return kept.length === 1 && "text" in first ? first.text : kept;
}

/** Blocks for a part: none for thinking, for marks and for what is not known. */
function blocksOf(part: unknown, { images, documents }: PartReader): InputBlock[] {
	const line = (words: string): InputBlock[] => [{ type: "text", text: words }];
	if (typeof part === "string") return line(part);
	if (!isRecord(part)) return [];
	const result = resultOf(part);
	if (result !== undefined) return line(`\n[Result of ${result.callId}: ${partsText(result.content)}]\n`);
	if (isCall(part)) return line(`\n[Tool call ${part.callId}: ${part.name} ${jsonOf(part.input)}]\n`);
	const held = dataOf(part);
	if (held !== undefined) {
		const { mimeType, bytes } = held;
		if (!mimeType.includes("/")) return [];
		if (/^text\/|^application\/(?:[\w.]+\+)?json/.test(mimeType)) return line(new TextDecoder().decode(bytes));
		const source = () =>
			({ type: "base64", media_type: mimeType, data: Buffer.from(bytes).toString("base64") }) as const;
		const isImage = IMAGE_TYPES.has(mimeType) && bytes.length <= MOST_IMAGE_BYTES;
		if (images && isImage) return [{ type: "image", source: source() }];
		if (documents && mimeType === "application/pdf") return [{ type: "document", source: source() }];
		return line(`\n[Left out: ${mimeType}]\n`);
	}
	const { value } = part;
	// Thinking has a text as well, and fields beside it.
	if (value === undefined || "id" in part || "metadata" in part) return [];
	return line(typeof value === "string" ? value : jsonOf(value));
}

interface CallPart {
	readonly callId: string;
	readonly name: string;
	readonly input?: unknown;
}

function isCall(part: unknown): part is CallPart {
	return isRecord(part) && typeof part["callId"] === "string" && typeof part["name"] === "string";
}

/** A result, whatever class it is of. */
function resultOf(part: unknown) {
	if (!isRecord(part)) return undefined;
	const { callId, content, isError } = part;
	if (typeof callId !== "string" || !Array.isArray(content)) return undefined;
	return { callId, content: content as readonly unknown[], isError: isError === true };
}

function dataOf(part: unknown) {
	if (!isRecord(part)) return undefined;
	const { mimeType, data } = part;
	return typeof mimeType === "string" && data instanceof Uint8Array ? { mimeType, bytes: data } : undefined;
}

function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value) ?? "";
	} catch {
		return "(unreadable)";
	}
}

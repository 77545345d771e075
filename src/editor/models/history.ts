import type * as vscode from "vscode";
import { isRecord, parseJson } from "#api/http/json.ts";
import type { Block, InputBlock, InputMessage, ToolDefinition, ToolResultBlock } from "#api/messages/model.ts";
import { LONGEST_NAME, uniqueId, validId } from "#api/messages/tool-calls.ts";
import { closingFence } from "#app/chat/export-conversation.ts";
import { shownType } from "#app/chat/images.ts";
import { joinTurns, thoughtOf } from "#app/chat/input-messages.ts";
import type { Capabilities } from "#app/connections/model-capabilities.ts";
import { LIMITS } from "#base/limits.ts";
import { oneLine } from "#base/one-line.ts";
import { type Infer, list, object, oneOf, optional, parsedJson, text, union } from "#base/schema.ts";
import { IMAGE_TOKENS, sizeOf, sizeWords } from "#base/tokens.ts";

/** Message of a caller that keeps the conversation itself. */
interface CallersMessage {
	readonly role: "user" | "assistant";
	readonly content: readonly unknown[];
}

/** Abilities of the model that reads a history. */
interface HistoryReader extends Pick<Capabilities, "images" | "documents" | "thinking" | "refusesThinking"> {
	/** False if the request offers no tools: services then refuse calls in it. */
	readonly tools: boolean;
	/** Id of the model in the editor: only its own thinking is returned to it. */
	readonly model: string;
	/** Wire names of the offered tools by their names in calls. */
	readonly names?: ReadonlyMap<string, string>;
}

const TEXT_ONLY = { images: false, documents: false };

/** Estimated overhead of a message, in tokens. */
const FRAME = 4;

/** History for a request to any model: unsupported parts become text, and a call gets one result behind it. Never throws. */
export function historyMessages(history: readonly CallersMessage[], reader: HistoryReader): InputMessage[] {
	const turns: InputMessage[] = [];
	let open = new Map<string, string>();
	const merged = turnsOf(history);
	const isQuestion = ({ role, content }: CallersMessage) =>
		role === "user" && content.some((part) => part !== BOUNDARY && partOf(part)?.kind === "text");
	const question = merged.findLastIndex(isQuestion);
	for (const [at, { role, content }] of merged.entries()) {
		if (role === "user") {
			turns.push({ role, content: contentOf(answered(open, content, reader)) });
			open = new Map();
		} else {
			const called = new Map<string, string>();
			const marks = content.flatMap((part) => markOf(part) ?? []);
			const kept = marks.length > 0 ? marks : content.flatMap((part) => thoughtOfPart(part) ?? []);
			const isSameService = kept.some(({ model }) => model.split("/")[0] === reader.model.split("/")[0]);
			const blocks = content.flatMap((part): InputBlock[] => {
				const read = partOf(part);
				if (read?.kind === "text") return [{ type: "text", text: read.text.replaceAll(OWN_LINE, "") }];
				if (!reader.tools || read?.kind !== "call" || called.has(read.id)) return partBlocks(part, TEXT_ONLY);
				const wireId = isSameService ? read.id : validId(read.id);
				called.set(read.id, wireId);
				const input = parseJson(jsonOf(read.input));
				const name = reader.names?.get(read.name) ?? uniqueId(validId(read.name), new Set(), LONGEST_NAME);
				return [{ type: "tool_use", id: wireId, name, input: isRecord(input) ? input : {} }];
			});
			const isPresent = at > question && called.size > 0;
			const isSigned = (block: object) => "data" in block || "signature" in block;
			const own = kept.filter(({ model }) => model === reader.model && reader.refusesThinking !== true);
			const thoughts = own.flatMap((each) =>
				each.blocks.filter((block) => isPresent || (reader.thinking !== false && isSigned(block))),
			);
			// Services refuse a message of thinking alone.
			turns.push({ role, content: contentOf(blocks) && contentOf([...thoughts, ...blocks]) });
			open = called;
		}
	}
	if (open.size > 0) turns.push({ role: "user", content: answered(open, [], reader) });
	return joinTurns(turns);
}

/** Text of a message or tool result; other parts become lines, thinking and markers are left out. */
export function partsText(content: readonly unknown[]): string {
	const blocks = content.flatMap((part) => partBlocks(part, TEXT_ONLY));
	return blocks.map((block) => ("text" in block ? block.text : "")).join("");
}

/** Estimated tokens of a message. Never throws. */
export function messageTokens(content: unknown): number {
	const blocks = [content].flat().flatMap((part) => partBlocks(part, { images: true, documents: true }));
	return blocks.reduce((sum, block) => sum + ("text" in block ? sizeOf(block.text).tokens : IMAGE_TOKENS), FRAME);
}

/** Tools with unique wire names besides `taken`. Services refuse a request with one that is not usable. */
export function definedTools<T extends vscode.LanguageModelChatTool>(
	tools: readonly T[],
	taken: Iterable<string> = [],
) {
	const used = new Set(taken);
	return [...new Map(tools.map((tool) => [tool.name, tool])).values()].map((tool) => {
		const { name, description, inputSchema } = tool;
		const schema: Readonly<Record<string, unknown>> = { ...inputSchema };
		const { type = "object", properties = {}, required = [] } = schema;
		const isObject = !Array.isArray(inputSchema) && [type].flat().includes("object") && !("$ref" in schema);
		const isWhole =
			isRecord(properties) && Object.values(properties).every((of) => isRecord(of) || typeof of === "boolean");
		const isNamed = Array.isArray(required) && required.every((one) => typeof one === "string");
		const definition: ToolDefinition = {
			name: uniqueId(validId(name), used, LONGEST_NAME),
			description,
			input_schema: schema,
		};
		return { tool, definition, isUsable: isObject && isWhole && isNamed };
	});
}

/** Invisible character before a line of ours, which no model writes: twice where the line ends a fence. */
const OWN = "\u2063";

/** Line of {@link ownLine}, with the end of a fence before it. */
const OWN_LINE = /(?:\n *[`~]+(?=\n\n\u2063\u2063))?\n\n\u2063+\*.*/g;

/** Line of ours below the text of a reply, in italics. The next request leaves it out, whoever kept the history. */
export function ownLine(text: string, words: string): string {
	const fence = closingFence(text);
	const mark = fence === "" ? OWN : OWN + OWN;
	return `${fence}\n\n${mark}*${oneLine(words, 1_000).replaceAll("*", "\\*")}*`;
}

const MARK = object({
	model: text(),
	blocks: list(
		union(
			object({ type: oneOf("thinking"), thinking: text(), signature: optional(text()) }),
			object({ type: oneOf("redacted_thinking"), data: text() }),
		),
	),
});

/** State marker that the editor keeps: a model and its signed thinking, in base64, since Chat splits it at backslashes. */
export function thinkingMark(model: string, reply: readonly Block[]): string | undefined {
	const calls = reply.filter(({ type }) => type === "tool_use");
	const blocks = reply.flatMap((block) => thoughtOf(block, calls.length > 0) ?? []);
	if (blocks.length === 0 && calls.every(({ tool }) => validId(tool?.id ?? "") === tool?.id)) return undefined;
	return `${model}\\${Buffer.from(JSON.stringify({ model, blocks })).toString("base64url")}`;
}

function markOf(part: unknown): Infer<typeof MARK> | undefined {
	const read = partOf(part);
	if (read?.kind !== "data" || read.mimeType !== "stateful_marker") return undefined;
	const [, mark = ""] = new TextDecoder().decode(read.data).split("\\");
	return parsedJson(MARK, Buffer.from(mark, "base64url").toString());
}

/** Id of thinking in the editor: its model's, and one of its own, since an agent host keeps blocks apart by it. */
export function thinkingId(model: string, reply: string | null, block: string): string {
	return `${model}#${reply ?? ""}.${block}`;
}

/** Metadata of ended thinking by the names of the editor's own models, which an agent host hands back. */
export function thinkingMetadata(block: Block): object | undefined {
	const thought = thoughtOf(block, true);
	if (block.stopped !== true || thought === undefined) return undefined;
	if ("data" in thought) return { redactedData: thought.data };
	return { _completeThinking: block.text, ...(block.signature !== undefined && { signature: block.signature }) };
}

/** Thinking in the metadata of a part, and its model; undefined for that of other providers. */
function thoughtOfPart(part: unknown): Infer<typeof MARK> | undefined {
	const read = partOf(part);
	if (read?.kind !== "thinking" || typeof read.id !== "string" || !isRecord(read.metadata)) return undefined;
	const shown = [read.value].flat().filter((each) => typeof each === "string");
	const { signature, redactedData: data, _completeThinking: thinking = signature && shown.join("") } = read.metadata;
	const block = data === undefined ? { type: "thinking", thinking, signature } : { type: "redacted_thinking", data };
	return parsedJson(MARK, jsonOf({ model: read.id.slice(0, read.id.lastIndexOf("#")), blocks: [block] }));
}

/** Blank line between the texts of merged messages. */
const BOUNDARY = "\n\n";

function turnsOf(history: readonly CallersMessage[]): CallersMessage[] {
	const turns: CallersMessage[] = [];
	for (const message of history) {
		const last = turns.at(-1);
		if (last?.role !== message.role) turns.push(message);
		else turns[turns.length - 1] = { ...last, content: [...last.content, BOUNDARY, ...message.content] };
	}
	return turns;
}

/** User turn after some calls: a result for each, then the rest. */
function answered(calls: ReadonlyMap<string, string>, parts: readonly unknown[], reader: HistoryReader): InputBlock[] {
	const open = new Map(calls);
	const results: ToolResultBlock[] = [];
	const rest: InputBlock[] = [];
	for (const part of parts) {
		const read = partOf(part);
		const id = read?.kind === "result" ? open.get(read.id) : undefined;
		if (read?.kind !== "result" || id === undefined) {
			rest.push(...partBlocks(part, reader));
			continue;
		}
		open.delete(read.id);
		const blocks = read.content.flatMap((each) => partBlocks(each, { ...reader, documents: false }));
		const held = contentOf(blocks.flatMap((block) => (block.type === "text" || block.type === "image" ? block : [])));
		const failed = read.isError ? { is_error: true as const } : {};
		results.push({ type: "tool_result", tool_use_id: id, content: held || "(no result)", ...failed });
	}
	for (const id of open.values())
		results.push({ type: "tool_result", tool_use_id: id, content: "(no result)", is_error: true });
	return [...results, ...rest];
}

/** Merges neighboring texts and drops blank ones; a lone text is content as it is, as in the contract. */
function contentOf<B extends InputBlock>(blocks: readonly B[]): string | readonly B[] {
	const joined: B[] = [];
	let between = "";
	for (const block of blocks) {
		const last = joined.at(-1);
		if ("text" in block && (block.text === BOUNDARY || block.text === "")) {
			between ||= block.text;
			continue;
		}
		if (last === undefined || !("text" in last && "text" in block)) joined.push(block);
		else joined[joined.length - 1] = { ...last, text: last.text + between + block.text };
		between = "";
	}
	const kept = joined.filter((block) => !("text" in block) || block.text.trim() !== "");
	const [first] = kept;
	if (first === undefined) return "";
	return kept.length === 1 && "text" in first ? first.text : kept;
}

/** Blocks of a part of a message or result; none for thinking, markers and unknown parts. */
export function partBlocks(
	part: unknown,
	{ images, documents }: Pick<HistoryReader, "images" | "documents">,
): InputBlock[] {
	const line = (words: string): InputBlock[] => [{ type: "text", text: words }];
	const read = partOf(part);
	switch (read?.kind) {
		case "text":
			return line(read.text);
		case "call":
			return line(`\n[Tool call ${read.id}: ${read.name} ${jsonOf(read.input)}]\n`);
		case "result":
			return line(`\n[Result of ${read.id}: ${partsText(read.content)}]\n`);
		case "data": {
			const { mimeType, data } = read;
			if (!mimeType.includes("/")) return [];
			if (/^text\/|[/+]json\b/.test(mimeType)) return line(new TextDecoder().decode(data));
			const source = (media_type: string) => {
				return { type: "base64", media_type, data: Buffer.from(data).toString("base64") } as const;
			};
			// Services look at the bytes as well, whatever the label says.
			const type = data.length <= LIMITS.imageBytes ? shownType(data)?.type : undefined;
			if (images && type !== undefined) return [{ type: "image", source: source(type) }];
			if (documents && mimeType === "application/pdf") return [{ type: "document", source: source(mimeType) }];
			return line(`\n[Left out: ${mimeType}, ${sizeWords(data.length)}]\n`);
		}
		default:
			return [];
	}
}

/** Part by its fields: extensions may pass copies of the editor's classes, and newer editors have more of them. */
function partOf(part: unknown) {
	if (typeof part === "string") return { kind: "text", text: part } as const;
	if (!isRecord(part)) return undefined;
	const { value, callId: id, name, input, content, isError, mimeType, data, metadata } = part;
	if (typeof id === "string" && Array.isArray(content)) {
		return { kind: "result", id, content: content as readonly unknown[], isError: isError === true } as const;
	}
	if (typeof id === "string" && typeof name === "string") return { kind: "call", id, name, input } as const;
	if (typeof mimeType === "string" && data instanceof Uint8Array) return { kind: "data", mimeType, data } as const;
	// Thinking also has text, and more fields.
	if ("id" in part || "metadata" in part) return { kind: "thinking", id: part["id"], value, metadata } as const;
	if (value === undefined) return undefined;
	return { kind: "text", text: typeof value === "string" ? value : jsonOf(value) } as const;
}

function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value) ?? "";
	} catch {
		return "(unreadable)";
	}
}

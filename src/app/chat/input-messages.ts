import type { Block, ImageBlock, InputBlock, InputMessage, TextBlock, ToolResultBlock } from "#api/messages/model.ts";
import { inputOf, validId } from "#api/messages/tool-calls.ts";
import { parseSourceJson } from "#base/exact-json.ts";
import { type Capabilities, CONTRACT_CAPABILITIES } from "../connections/model-capabilities.ts";
import { type StoredImage, turnText } from "./attachments.ts";
import { GO_ON } from "./continuation.ts";
import { type Entry, type ReplyEntry, replyText, type ToolCall, type Turn } from "./conversation.ts";

/** Model that receives a request, and its abilities. */
interface Recipient extends Pick<Capabilities, "tools" | "images" | "thinking" | "refusesThinking"> {
	/** Thinking goes back only to its own model at the same connection. */
	readonly model?: string;
	readonly connectionId?: string | undefined;
}

/**
 * Converts a conversation for a request: turns with attachments, replies with their calls and results. Rounds of the current
 * answer keep their thinking, signed or not, since some services refuse them without. Text replaces what a model cannot take.
 */
export function inputMessages(entries: readonly Entry[], recipient: Recipient = CONTRACT_CAPABILITIES): InputMessage[] {
	const question = entries.findLastIndex(({ role }) => role === "user");
	return joinTurns(
		entries.flatMap((entry, at) =>
			entry.role === "user"
				? [turnMessage(entry, recipient)]
				: replyMessages(entry, recipient, recipient.tools && at > question),
		),
	);
}

type Joined = InputMessage & { readonly continues?: boolean };

function turnMessage({ text, attachments }: Turn, { images }: Recipient): Joined {
	const seen = images ? attachments.flatMap(({ image }) => image ?? []) : [];
	const read = images ? attachments.filter(({ image }) => image === undefined) : attachments;
	const content = turnText(text, read);
	if (seen.length === 0) return { role: "user", content };
	return { role: "user", content: [...seen.map(imageBlock), ...textBlocks(content)] };
}

/** Image block with the hash in place of the bytes, until the request is sent. */
function imageBlock({ mediaType, hash }: StoredImage): ImageBlock {
	return { type: "image", source: { type: "base64", media_type: mediaType, data: hash } };
}

/** Result of a call with its images, or a text in their place. */
function resultContent({ result = "", images = [] }: ToolCall, sees: boolean): ToolResultBlock["content"] {
	if (sees && images.length > 0) return [...textBlocks(result), ...images.map(imageBlock)];
	const left = images.length === 0 ? [] : ["[An image was left out: images are off for this model.]"];
	return [...(result.trim() === "" ? [] : [result]), ...left].join("\n") || "(no result)";
}

function replyMessages(entry: ReplyEntry, recipient: Recipient, isPresent: boolean): Joined[] {
	const { continues, reply } = entry;
	const { tools, thinking, refusesThinking = false } = recipient;
	const isSameService = recipient.connectionId === entry.connectionId;
	const isOwn = recipient.model === entry.model && isSameService && !refusesThinking;
	const withId = (call: ToolCall) => (isSameService ? call : { ...call, id: validId(call.id) });
	// Services refuse a result without its call.
	const calls = entry.calls.filter(({ key }) => reply?.blocks.some((block) => block.key === key)).map(withId);
	if (calls.length === 0) return [{ role: "assistant", content: replyText(reply), continues }];
	const byKey = new Map(calls.map((call) => [call.key, call]));
	const content = (reply?.blocks ?? []).flatMap((block) => {
		const thought = isOwn && (isPresent || thinking !== false) ? thoughtOf(block, isPresent) : undefined;
		return thought ?? replayed(block, byKey.get(block.key), tools);
	});
	const results = tools ? calls.filter(isReplayed) : [];
	const notes = calls.filter((call) => !results.includes(call));
	const answers = [
		...results.map((call): InputBlock => {
			const failed = call.state === "done" ? {} : { is_error: true as const };
			const content = resultContent(call, recipient.images);
			return { type: "tool_result", tool_use_id: call.id, content, ...failed };
		}),
		...textBlocks(notes.map(({ name, result = "" }) => `[Result of ${name}: ${result}]`).join("\n\n")),
	];
	return [
		{ role: "assistant", content: simplest(content), continues },
		{ role: "user", content: simplest(answers) },
	];
}

/** Joins blocks that are all text to a string, as in the contract. */
function simplest(blocks: readonly InputBlock[]): InputMessage["content"] {
	const texts = blocks.flatMap((block) => (block.type === "text" ? block.text : []));
	return texts.length === blocks.length ? texts.join("\n\n") : blocks;
}

/** False for a call without readable input, which becomes a text. */
function isReplayed({ state, id }: ToolCall): boolean {
	return state !== "refused" || id !== "";
}

function replayed(block: Block, call: ToolCall | undefined, tools: boolean): InputBlock[] {
	const { type, text } = block;
	if (type === "text") return textBlocks(text);
	if (call === undefined) return [];
	const { id, name } = call;
	if (tools && isReplayed(call)) return [{ type: "tool_use", id, name, input: inputOf(block, parseSourceJson) ?? {} }];
	return textBlocks(`[Called ${name}: ${text || "{}"}]`);
}

/** Makes a text block; none for a blank text, which services refuse. */
function textBlocks(text: string): TextBlock[] {
	return text.trim() === "" ? [] : [{ type: "text", text }];
}

/**
 * Joins messages so that roles alternate, which some services require. Empty ones are left out, and a continuation becomes one
 * text with the message before. A reply that begins with thinking stays alone, since thinking must come first in a message.
 */
export function joinTurns(turns: readonly Joined[]): InputMessage[] {
	const messages: InputMessage[] = [];
	for (const { role, content, continues = false } of turns) {
		if (typeof content === "string" ? content.trim() === "" : content.length === 0) continue;
		const last = messages.at(-1);
		if (last?.role !== role) messages.push({ role, content });
		else if (beginsWithThought(content)) messages.push({ role: "user", content: GO_ON }, { role, content });
		else messages[messages.length - 1] = { role, content: joined(last.content, content, continues) };
	}
	return messages;
}

function beginsWithThought([first]: InputMessage["content"]): boolean {
	return typeof first === "object" && (first.type === "thinking" || first.type === "redacted_thinking");
}

function joined(before: InputMessage["content"], after: InputMessage["content"], continues: boolean) {
	if (typeof before === "string" && typeof after === "string") return before + (continues ? "" : "\n\n") + after;
	return [before, after].flatMap((content) => (typeof content === "string" ? textBlocks(content) : content));
}

/** All text of a message, for an estimate of its size. */
export function messageText({ content }: InputMessage): string {
	if (typeof content === "string") return content;
	return content.map((block) => ("text" in block ? block.text : JSON.stringify(block))).join("\n\n");
}

/** Block of thinking to send back to its model; undefined without a signature, unless that is `optional`. */
export function thoughtOf({ type, text, signature }: Block, optional: boolean): InputBlock | undefined {
	if (signature === undefined) {
		return optional && type === "thinking" && text.trim() !== "" ? { type, thinking: text } : undefined;
	}
	if (type === "thinking") return { type, thinking: text, signature };
	return type === "redacted_thinking" ? { type, data: signature } : undefined;
}

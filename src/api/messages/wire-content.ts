import { type ClientError, invalid } from "#base/errors.ts";
import { SHOWN_TYPES } from "#base/image.ts";
import { LIMITS } from "#base/limits.ts";
import type { ImageBlock, InputBlock, InputMessage, TextBlock, ToolDefinition, ToolResultBlock } from "./model.ts";
import { uniqueId } from "./tool-calls.ts";

/** Maximum size of an image in base64 characters. */
const MOST_BASE64 = (LIMITS.imageBytes / 3) * 4;

/** Cache mark. Services take four at most: the last tool, the system prompt and the last two user turns have one each. */
const CACHED = { cache_control: { type: "ephemeral" } } as const;

const CACHED_TURNS = 2;

/** Content block, marked for the cache or not. */
type WireBlock = (InputBlock | Omit<ToolResultBlock, "content">) & Partial<typeof CACHED>;

interface WireMessage {
	readonly role: string;
	readonly content: string | readonly WireBlock[];
}

interface CallIds {
	readonly used: Set<string>;
	/** By the id that the conversation has; of several with one id, that of the last. */
	readonly sent: Map<string, string>;
}

const refuse = (field: string, rule: string): ClientError => invalid("messages", field, rule);

/**
 * Converts messages to their wire form: without blank text blocks, which services refuse, and with ids of calls that are
 * unique in the conversation. `caching` marks the last two user turns. Throws ClientError `invalid` naming a wrong block.
 */
export function wireMessages(messages: readonly InputMessage[], caching: boolean): readonly WireMessage[] {
	const ids: CallIds = { used: new Set(), sent: new Map() };
	const wire = messages.flatMap(({ role, content }, at): WireMessage[] => {
		if (typeof content === "string") return [{ role, content }];
		const field = `messages[${at}].content`;
		const blocks = content.flatMap((block, place) => wireBlock(block, `${field}[${place}]`, ids));
		return blocks.length === 0 ? [] : [{ role, content: blocks }];
	});
	if (!caching) return wire;
	const turns = wire.filter(({ role }) => role === "user").slice(-CACHED_TURNS);
	return wire.map((message) => (turns.includes(message) ? { ...message, content: marked(message.content) } : message));
}

/** Keywords that services refuse at the top level of a tool's schema. */
const NOT_IN_SCHEMA: ReadonlySet<string> = new Set(["$schema", "oneOf", "anyOf", "allOf"]);

/** Converts tools with valid and unique names to their wire form; undefined for none. */
export function wireTools(tools: readonly ToolDefinition[], caching: boolean): readonly object[] | undefined {
	const wire = tools.map(({ name, description, input_schema: given }, at) => {
		const mark = caching && at === tools.length - 1 ? CACHED : {};
		const schema = Object.entries(given).filter(([key]) => !NOT_IN_SCHEMA.has(key));
		const input_schema = { properties: {}, ...Object.fromEntries(schema), type: "object" };
		return { name, description, input_schema, ...mark };
	});
	return wire.length === 0 ? undefined : wire;
}

/** Marks the last block of content for the cache, to which text becomes one. A blank text cannot be marked. */
export function marked(content: WireMessage["content"]): WireMessage["content"] {
	if (typeof content !== "string")
		return content.map((block, at) => (at + 1 < content.length ? block : { ...block, ...CACHED }));
	return isBlank(content) ? content : [{ type: "text", text: content, ...CACHED }];
}

function wireBlock(block: InputBlock, field: string, { used, sent }: CallIds): WireBlock[] {
	switch (block.type) {
		case "text":
		case "image":
			return isSent(block, field) ? [block] : [];
		case "tool_use": {
			const id = uniqueId(block.id, used);
			sent.set(block.id, id);
			return [{ ...block, id }];
		}
		case "tool_result": {
			const { content, ...result } = block;
			const answer = { ...result, tool_use_id: sent.get(block.tool_use_id) ?? block.tool_use_id };
			const parts =
				typeof content === "string" ? content.trim() && content : content.filter((part) => isSent(part, field));
			return [parts.length === 0 ? answer : { ...answer, content: parts }];
		}
		default:
			return [block];
	}
}

/** False for a blank text. Throws ClientError `invalid` for an image that cannot be sent. */
function isSent(block: TextBlock | ImageBlock, field: string): boolean {
	if (block.type === "text") return !isBlank(block.text);
	const { media_type, data } = block.source;
	if (!SHOWN_TYPES.has(media_type)) throw refuse(`${field}.source.media_type`, "must be PNG, JPEG, WebP or GIF");
	if (data.length <= MOST_BASE64) return true;
	throw refuse(`${field}.source.data`, `is larger than ${LIMITS.imageBytes / 1024 / 1024} MB`);
}

function isBlank(text: string): boolean {
	return text.trim() === "";
}

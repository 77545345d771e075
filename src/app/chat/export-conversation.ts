import { invalid } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import { blockName, OUTCOME_WORDS } from "#base/reply.ts";
import { flag, list, number, object, oneOf, optional, parse, refine, text, withDefault } from "#base/schema.ts";
import { safeMarkdown } from "../kit/safe-markdown.ts";
import { ATTACHMENTS, type Attachment, attachmentText, fenceFor } from "./attachments.ts";
import type { ConversationState, Entry, ReplyEntry, ToolCall, WaitingTurn } from "./conversation.ts";
import { imageWords } from "./images.ts";
import { BLOCK_FACTS, CALL, END, MOST_MS, WAITING } from "./journal.ts";
import { CHAT_PARAMETERS } from "./parameters.ts";
import { isRest, joinedBlocks, ownBlocks, partsOf } from "./parts.ts";
import { endRecord, restoredReply } from "./saved-reply.ts";
import { withoutMark } from "./tool-box.ts";

interface Exported extends ConversationState {
	readonly title: string;
	/** Entries on screen, in order. */
	readonly path: readonly Entry[];
	/** Its images in base64, for the JSON. */
	readonly images?: readonly string[];
}

const EXPORT_FORMAT = "switchboard-conversation";

/** Exports a conversation as JSON that can be imported again, with all versions, the queue and the images. */
export function exportJson({ title, entries, chosen, facts, images = [] }: Exported): string {
	const { title: own, pinned, parameters, queue: waiting = [] } = facts;
	const kept = { title: own, pinned, parameters };
	const messages = entries.map((entry) => (entry.role === "user" ? entry : exportedReply(entry)));
	const queue = waiting.map(({ connection: _, ...turn }) => turn);
	const all = { format: EXPORT_FORMAT, version: 1, title, facts: kept, chosen, messages, queue, images };
	return `${JSON.stringify(all, null, "\t")}\n`;
}

/** Exports a reply without the id of its connection, which means nothing elsewhere. */
function exportedReply(entry: ReplyEntry): object {
	const { role, id, parent, continues, connection, model, parameters, at, calls, ended } = entry;
	const blocks = ownBlocks(entry).map(({ key, index, type, text, tool, signature }) => {
		return { key, index, type, text, tool, signature };
	});
	const asked = { role, id, parent, continues, connection, model, parameters, at, blocks, calls };
	if (ended === undefined) return asked;
	const { t: _t, reply: _reply, ...end } = endRecord(entry, ended);
	return { ...asked, end };
}

/** Exports the entries on screen as Markdown that is harmless in a preview. */
export function exportMarkdown({ title, path }: Exported): string {
	const parts = path.flatMap((entry, position) => {
		if (isRest(path, position)) return [];
		if (entry.role === "user") {
			return [heading("You", entry.at), ...entry.attachments.map(folded), contained(entry.text)].join("\n\n");
		}
		const from = [entry.reply?.model ?? entry.model, entry.connection].filter((part) => part !== "").join(", ");
		const whole = partsOf(entry.id, path);
		const blocks = joinedBlocks(whole, blocksWithCalls).map(({ type, text, call }) => {
			if (call !== undefined) return called(text, call);
			return type === "text" ? contained(text.trim()) : quoted(type, text);
		});
		const { outcome = "complete", reply } = whole.at(-1)?.ended ?? {};
		const words =
			outcome === "other" ? `Ended with “${escaped(oneLine(reply?.stopReason ?? "", 64))}”` : OUTCOME_WORDS[outcome];
		const end = outcome === "complete" ? "" : `*${words}*`;
		return [heading(from || "Reply", entry.at), ...blocks, end].filter((text) => text !== "").join("\n\n");
	});
	return safeMarkdown(`${[`# ${oneLine(title)}`, ...parts].join("\n\n")}\n`);
}

function blocksWithCalls(part: ReplyEntry) {
	return ownBlocks(part).map((block) => ({ ...block, call: part.calls.find(({ key }) => key === block.key) }));
}

/** Formats an attachment, folded under its name; of an image only the name. */
function folded(attachment: Attachment): string {
	const { image, label } = attachment;
	const [name = "", ...text] = attachmentText(attachment).split("\n");
	if (image !== undefined) return `<p>${escaped(`${imageWords(image)}: ${oneLine(label)}`)}</p>`;
	return details(name, contained(text.join("\n")));
}

/** Formats a call with its input and result, folded under its title and state. */
function called(input: string, { title, state, result = "" }: ToolCall): string {
	const fenced = [input, withoutMark(result)]
		.filter((text) => text.trim() !== "")
		.map((text) => {
			const fence = fenceFor(text);
			return `${fence}\n${text}\n${fence}`;
		});
	return details(`${oneLine(title)} (${state})`, fenced.join("\n\n"));
}

function escaped(line: string): string {
	return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function details(summary: string, content: string): string {
	return `<details>\n<summary>${escaped(summary)}</summary>\n\n${content}\n\n</details>`;
}

function heading(who: string, at: number): string {
	const when = at === 0 ? "" : ` (${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC)`;
	return `## ${oneLine(who)}${when}`;
}

/** Formats a block other than text as a quote. */
function quoted(type: string, text: string): string {
	if (text.trim() === "") return "";
	return [`*${oneLine(blockName(type))}*`, ...text.trim().split("\n")].map((line) => `> ${line}`).join("\n");
}

/** Fence of code, also behind the mark of a list item. */
const FENCE = /^( {0,9}(?:(?:[-*+]|\d{1,9}[.)]) +)?)(`{3,}|~{3,})(.*)$/gm;

/** End of a code fence that is open at the end of a text, as in a reply that was cut off, in its list; else empty. */
export function closingFence(text: string): string {
	let open = "";
	let end = "";
	for (const [, indent = "", fence = "", info = ""] of text.matchAll(FENCE)) {
		if (open === "") [open, end] = [fence, `\n${indent.replaceAll(/\S/g, " ")}${fence}`];
		else if (fence.startsWith(open) && (indent + info).trim() === "") open = "";
	}
	return open === "" ? "" : end;
}

function contained(text: string): string {
	return text + closingFence(text);
}

/** Milliseconds since 1970: any valid date, since the clock may have been wrong. */
const TIME = number({ min: -2 * MOST_MS, max: 2 * MOST_MS });

const BLOCK = object({
	key: text(),
	index: withDefault(number(), null),
	type: withDefault(text(), "text"),
	text: text(),
	...BLOCK_FACTS,
});

const MESSAGE = object({
	role: oneOf("user", "assistant"),
	id: text(),
	parent: withDefault(text(), null),
	at: withDefault(TIME, 0),
	text: withDefault(text(), null),
	attachments: withDefault(ATTACHMENTS, []),
	continues: withDefault(flag(), false),
	connection: withDefault(text(), ""),
	model: withDefault(text(), ""),
	parameters: withDefault(CHAT_PARAMETERS, {}),
	blocks: withDefault(list(BLOCK), []),
	calls: withDefault(list(object(CALL)), []),
	end: withDefault(object(END), undefined),
});

const EXPORTED = object({
	format: oneOf(EXPORT_FORMAT),
	version: refine(number(), (version) => (version === 1 ? undefined : "must be 1")),
	messages: list(MESSAGE, { min: 1 }),
	chosen: withDefault(list(text()), []),
	queue: withDefault(list<WaitingTurn>(object(WAITING)), []),
	images: withDefault(list(text()), []),
	// The connection is left out: it belongs to the settings of another person.
	facts: withDefault(
		object({ title: optional(text()), pinned: optional(flag()), parameters: optional(CHAT_PARAMETERS) }),
		{},
	),
});

/** Imports an exported conversation, with its images in base64. Throws `invalid` with a field such as `messages[3].parent`. */
export function importJson(json: string): ConversationState & { readonly images: readonly string[] } {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw invalid("messages", "text", "is not JSON");
	}
	const { messages, chosen, facts, queue, images } = parse(EXPORTED, value, "messages", "text");
	const entries = new Map<string, Entry>();
	for (const [n, { id, parent, text: said, attachments, at, ...message }] of messages.entries()) {
		const place = `messages[${n}]`;
		if (entries.has(id)) throw invalid("messages", `${place}.id`, "is that of an earlier message");
		if (message.role === "user") {
			if (said === null) throw invalid("messages", `${place}.text`, "is missing");
			entries.set(id, { role: "user", id, parent, text: said, attachments, at });
			continue;
		}
		if (parent === null) throw invalid("messages", `${place}.parent`, "is missing");
		const { role: _role, blocks, calls, end, ...asked } = message;
		const kept = blocks.map((block, at) => ({ ...block, index: block.index ?? at, open: false }));
		const reply = { ...asked, id, parent, at, connectionId: undefined };
		entries.set(id, restoredReply(reply, { blocks: kept, calls, end }));
	}
	const ids = new Set(entries.keys());
	for (const [n, { id }] of queue.entries()) {
		if (ids.size === ids.add(id).size) throw invalid("messages", `queue[${n}].id`, "is that of an earlier message");
	}
	return {
		images,
		entries: [...entries.values()],
		chosen: chosen.filter((id) => entries.has(id)),
		facts: { ...facts, ...(queue.length === 0 ? {} : { queue }) },
	};
}

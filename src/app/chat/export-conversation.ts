import { oneLine } from "#base/one-line.ts";
import { type Attachment, attachmentText, fenceFor } from "./attachments.ts";
import type { ConversationState, Entry, ReplyEntry, ToolCall } from "./conversation.ts";
import { imageWords } from "./images.ts";
import { isRest, joinedBlocks, ownBlocks, partsOf } from "./parts.ts";
import { endRecord } from "./saved-reply.ts";

/** Conversation to export. */
interface Exported extends ConversationState {
	readonly title: string;
	/** Entries on screen, in order. */
	readonly path: readonly Entry[];
	/** Its images in base64, for the JSON. */
	readonly images?: readonly string[];
}

/** Format name of an export. */
export const EXPORT_FORMAT = "switchboard-conversation";

/** Conversation as JSON that can be imported again, with every version of every message, the queue and the images. */
export function exportJson({ title, entries, chosen, facts, images = [] }: Exported): string {
	const { title: own, pinned, parameters, queue: waiting = [] } = facts;
	const kept = { title: own, pinned, parameters };
	const messages = entries.map((entry) => (entry.role === "user" ? entry : exportedReply(entry)));
	const queue = waiting.map(({ connection: _, ...turn }) => turn);
	const all = { format: EXPORT_FORMAT, version: 1, title, facts: kept, chosen, messages, queue, images };
	return `${JSON.stringify(all, null, "\t")}\n`;
}

/** The id of a connection means nothing elsewhere. */
function exportedReply(entry: ReplyEntry): object {
	const { role, id, parent, continues, connection, model, parameters, at, calls, ended } = entry;
	const blocks = ownBlocks(entry).map(({ open: _, stopped: __, ...block }) => block);
	const asked = { role, id, parent, continues, connection, model, parameters, at, blocks, calls };
	if (ended === undefined) return asked;
	const { t: _t, reply: _reply, ...end } = endRecord(entry, ended);
	return { ...asked, end };
}

/** Markdown document of the entries on screen. */
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
		const outcome = whole.at(-1)?.ended?.outcome;
		const end =
			outcome === undefined || outcome === "complete"
				? []
				: [`*${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}*`];
		return [heading(from === "" ? "Reply" : from, entry.at), ...blocks.filter((text) => text !== ""), ...end].join(
			"\n\n",
		);
	});
	return `${[`# ${oneLine(title)}`, ...parts].join("\n\n")}\n`;
}

function blocksWithCalls(part: ReplyEntry) {
	return ownBlocks(part).map((block) => ({ ...block, call: part.calls.find(({ key }) => key === block.key) }));
}

/** Attachment as it was sent, folded away under its escaped name; of an image the name alone. */
function folded(attachment: Attachment): string {
	const { image, label } = attachment;
	const [name = "", ...text] = attachmentText(attachment).split("\n");
	if (image !== undefined) return `<p>${escaped(`${imageWords(image)}: ${oneLine(label)}`)}</p>`;
	return details(name, contained(text.join("\n")));
}

/** Call with its input and result, folded away under what it did and how it ended. */
function called(input: string, { title, state, result = "" }: ToolCall): string {
	const fenced = [input, result]
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

/** Markdown folded away under an escaped line. */
function details(summary: string, content: string): string {
	return `<details>\n<summary>${escaped(summary)}</summary>\n\n${content}\n\n</details>`;
}

function heading(who: string, at: number): string {
	const when = at === 0 ? "" : ` (${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC)`;
	return `## ${oneLine(who)}${when}`;
}

/** Thinking, and what else is no answer. */
function quoted(type: string, text: string): string {
	if (text.trim() === "") return "";
	return [`*${oneLine(type)}*`, ...text.trim().split("\n")].map((line) => `> ${line}`).join("\n");
}

/** A line that opens or closes a fence. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/gm;

/** Closes code that is still open at the end of a text, as in a reply that was cut off. */
function contained(text: string): string {
	let open = "";
	for (const [, fence = "", info = ""] of text.matchAll(FENCE)) {
		if (open === "") open = fence;
		else if (fence.startsWith(open) && info.trim() === "") open = "";
	}
	return open === "" ? text : `${text}\n${open}`;
}

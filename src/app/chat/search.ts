import { parseJson } from "#api/http/json.ts";
import { excerpt } from "#base/excerpt.ts";
import type { ListedConversation } from "./conversation-store.ts";
import { LineReader, type RecordOf, readLine, withText } from "./journal.ts";
import { fileOf, type JournalFiles } from "./journal-files.ts";
import { withoutMark } from "./tool-box.ts";

/** Match in a conversation. */
export interface FoundPlace {
	readonly conversation: ListedConversation;
	/** Id of the turn or reply; undefined for the title. */
	readonly message: string | undefined;
	/** Text around it, on one line. */
	readonly snippet: string;
}

/** Number of files at a time: one is read while another is searched. */
const AT_ONCE = 2;

/** Characters of a snippet on each side of the match. */
const AROUND = 40;

/** Marks of markdown that are not rendered: emphasis, code, escapes, and the address of a link. */
const MARKS = /[*`~\\]+|(?<!\w)_+|_+(?!\w)|!?\[(?=[^[\]\n]{0,200}\]\()|\]\([^()\s]{0,2000}\)/g;

/** Finds the first match of each conversation, in all texts, ignoring case, white space, Unicode forms and markdown's marks. */
export async function* search(
	query: string,
	conversations: readonly ListedConversation[],
	files: Pick<JournalFiles, "pieces">,
	signal?: AbortSignal,
): AsyncGenerator<FoundPlace, void> {
	const wanted = plain(query.trim()) === "" ? query.trim() : plain(query.trim());
	if (wanted === "") return;
	const find = finderOf(wanted);
	// An unreadable file must not end the search.
	const look = ({ id }: ListedConversation) => placeIn(files.pieces(fileOf(id)), find, signal).catch(() => undefined);
	const ahead = conversations.slice(0, AT_ONCE).map(look);
	for (const [at, conversation] of conversations.entries()) {
		const place = await ahead.shift();
		if (signal?.aborted) return;
		const next = conversations[at + AT_ONCE];
		if (next !== undefined) ahead.push(look(next));
		if (place !== undefined) yield { conversation, ...place };
		else if (find(conversation.title) !== undefined) {
			yield { conversation, message: undefined, snippet: conversation.snippet };
		}
	}
}

/** Snippet around the first match in a text; undefined if there is none. */
type Find = (text: string) => string | undefined;

/** Key of a text of calls or attached data, whose JSON is shown as words. */
const DATA = "data ";

function finderOf(wanted: string): Find {
	const phrase = lowerCase(wanted.normalize());
	const words = phrase.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
	return (text) => {
		const lower = lowerCase(text.normalize());
		// Fast path: most texts lack one of the words.
		if (!words.every((word) => lower.includes(word))) return undefined;
		for (const shown of [plain(text), text.normalize().replace(/\s+/g, " ")]) {
			const at = lowerCase(shown).indexOf(phrase);
			if (at !== -1) return around(shown, at, phrase.length);
		}
		return undefined;
	};
}

/** Words of a text that is JSON from a line on, without quotes and brackets, also where it is cut off. */
function wordsOf(text: string): string {
	return text.replace(/^\s*(?:\{\s*["}]|\[\s*[[{"\]\d]).*/ms, (json) =>
		json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]/gs, (part) => {
			if (part === "," || part === ":") return `${part} `;
			return part.startsWith('"') ? String(parseJson(part) ?? part.slice(1)) : " ";
		}),
	);
}

/** Text without marks, and with one blank for any white space. */
function plain(text: string): string {
	return text.normalize().replace(MARKS, "").replace(/\s+/g, " ");
}

async function placeIn(pieces: AsyncIterable<Uint8Array>, find: Find, signal: AbortSignal | undefined) {
	const reader = new LineReader();
	const messages = new Map<string, Map<string, string>>();
	for await (const piece of pieces) {
		if (signal?.aborted) return undefined;
		for (const line of reader.take(piece)) {
			const record = readLine(line);
			if (record?.t === "turn") messages.set(record.id, textsOf(record));
			else if (record?.t === "drop") messages.delete(record.id);
			else if (record?.t === "text" || record?.t === "call") {
				const { reply, key } = record;
				const texts = messages.get(reply) ?? new Map<string, string>();
				messages.set(reply, texts);
				if (record.t === "text") {
					const place = record.type === "text" || record.type === "thinking" ? key : `${DATA}${key}`;
					texts.set(place, withText(texts.get(place) ?? "", record));
				} else texts.set(`${DATA}${key} call`, `${record.title}\n${withoutMark(record.result ?? "")}`);
			}
		}
	}
	for (const [message, texts] of messages) {
		for (const [key, text] of texts) {
			const snippet = find(key.startsWith(DATA) ? wordsOf(text) : text);
			if (snippet !== undefined) return { message, snippet };
		}
	}
	return undefined;
}

/** Text of a turn, and labels and texts of its attachments. */
function textsOf({ text, attachments }: RecordOf<"turn">): Map<string, string> {
	const attached = attachments.flatMap(({ label, text, language }, at) => [
		[`${at}`, label] as const,
		[`${language === "json" ? DATA : ""}${at} text`, text] as const,
	]);
	return new Map([["", text], ...attached]);
}

/** Lower case without a change of offsets, which only one character has. */
function lowerCase(text: string): string {
	return text.replaceAll("\u0130", "i").toLowerCase();
}

function around(text: string, at: number, length: number): string {
	const from = Math.max(0, at - AROUND);
	const to = Math.min(text.length, at + length + 2 * AROUND);
	const piece = excerpt(text.slice(from, to), to - from);
	return `${from > 0 ? "…" : ""}${piece}${to < text.length ? "…" : ""}`;
}

import type { Clock } from "#base/clock.ts";
import { excerpt } from "#base/excerpt.ts";
import type { ListedConversation } from "./conversation-index.ts";
import { LineReader, readLine, type TurnRecord, withText } from "./journal.ts";
import { type JournalFiles, journalOf } from "./journal-files.ts";
import { type FindPhrase, type Place, phraseFinder } from "./phrase.ts";

/** A place in a conversation where a text was found. */
export interface FoundPlace {
	readonly conversation: ListedConversation;
	/** The id of the turn or reply; undefined where it was found in the title only. */
	readonly message: string | undefined;
	/** What stands around it, on one line. */
	readonly snippet: string;
}

/** What is searched, and how. */
export interface SearchOptions {
	readonly files: Pick<JournalFiles, "pieces">;
	readonly clock: Clock;
	/** In this order. */
	readonly conversations: readonly ListedConversation[];
	readonly signal?: AbortSignal | undefined;
}

/** Files at a time: one is read while another is looked through. */
const AT_ONCE = 2;

/** Who searches lets others have their turn after so long. Milliseconds. */
const LONGEST_TURN_MS = 3;

/** Characters in front of what was found, and behind it. */
const AROUND = 40;

/**
 * Looks for a text in all that was said and attached, whatever its case, the way its accents are written, its line breaks
 * and the marks around its words: the first place of each conversation. Nothing is kept of what is read, and others have
 * their turn all the while.
 */
export async function* search(query: string, options: SearchOptions): AsyncGenerator<FoundPlace, void> {
	const { conversations, files, clock, signal } = options;
	const wanted = lowerCase(query.trim().normalize());
	if (wanted === "") return;
	const sought: Sought = { find: phraseFinder(wanted), seam: 2 * wanted.length + 5 * AROUND };
	const rest = resting(clock);
	// A file that cannot be read must not take the others with it.
	const look = ({ id }: ListedConversation) =>
		placeIn(files.pieces(journalOf(id)), sought, { rest, signal }).catch(() => undefined);
	const ahead = conversations.slice(0, AT_ONCE).map(look);
	for (const [at, conversation] of conversations.entries()) {
		const place = await ahead.shift();
		if (signal?.aborted) return;
		const next = conversations[at + AT_ONCE];
		if (next !== undefined) ahead.push(look(next));
		if (place !== undefined) yield { conversation, ...place };
		else if (sought.find(lowerCase(conversation.title.normalize())) !== undefined) {
			yield { conversation, message: undefined, snippet: conversation.snippet };
		}
	}
}

interface Sought {
	readonly find: FindPhrase;
	/** How much of a part may be the beginning of what ends in the next. Characters. */
	readonly seam: number;
}

interface Message {
	readonly after?: string;
	readonly blocks: Map<string, { readonly type: string; readonly text: string }>;
}

type Rest = () => Promise<void> | undefined;

/** Waits for the next turn of the event loop where this one has taken long. */
function resting(clock: Clock): Rest {
	let since = clock.monotonic();
	return () => {
		if (clock.monotonic() - since < LONGEST_TURN_MS) return undefined;
		return new Promise((resolve) =>
			setImmediate(() => {
				since = clock.monotonic();
				resolve();
			}),
		);
	};
}

/** The first message with what is sought. */
async function placeIn(
	pieces: AsyncIterable<Uint8Array>,
	{ find, seam }: Sought,
	{ rest, signal }: { readonly rest: Rest; readonly signal: AbortSignal | undefined },
): Promise<Omit<FoundPlace, "conversation"> | undefined> {
	const reader = new LineReader();
	/** Messages in their order, with their blocks, and the reply that one goes on with. */
	const messages = new Map<string, Message>();
	for await (const piece of pieces) {
		await rest();
		if (signal?.aborted) return undefined;
		for (const line of reader.take(piece)) {
			const record = readLine(line);
			if (record?.t === "turn") messages.set(record.id, { blocks: blocksOf(record) });
			else if (record?.t === "reply" && record.continues) {
				messages.set(record.id, { after: record.parent, blocks: new Map() });
			} else if (record?.t === "drop") messages.delete(record.id);
			else if (record?.t === "text") {
				const { reply, key, type } = record;
				const message = messages.get(reply) ?? { blocks: new Map() };
				messages.set(reply, message);
				message.blocks.set(key, { type, text: withText(message.blocks.get(key)?.text ?? "", record) });
			}
		}
	}
	await rest();
	/** The last text of each as far as what begins in it may end in the rest of the reply. */
	const ends = new Map<string, string>();
	for (const [message, { after = "", blocks }] of messages) {
		let before = ends.get(after) ?? "";
		let end = before;
		for (const { type, text: own } of blocks.values()) {
			const text = (type === "text" ? before + own : own).normalize();
			const place = find(lowerCase(text));
			if (place !== undefined) return { message, snippet: around(text, place) };
			if (type !== "text") continue;
			before = "";
			end = text.slice(-seam);
		}
		ends.set(message, end);
	}
	return undefined;
}

/** The text of a turn, and the name and the text of all that is attached to it. */
function blocksOf({ text, attachments }: Partial<TurnRecord> & Pick<TurnRecord, "text">): Message["blocks"] {
	const texts = [text, ...(attachments ?? []).flatMap((each) => [each.label, each.text])];
	return new Map(texts.map((each, at) => [`${at}`, { type: "", text: each }]));
}

/** In lower case, each character where it was: that of this one alone is longer. */
function lowerCase(text: string): string {
	return text.replaceAll("\u0130", "i").toLowerCase();
}

function around(text: string, { at, length }: Place): string {
	const from = Math.max(0, at - AROUND);
	const to = Math.min(text.length, at + length + 2 * AROUND);
	const piece = excerpt(text.slice(from, to), to - from);
	return `${from > 0 ? "…" : ""}${piece}${to < text.length ? "…" : ""}`;
}

import { excerpt } from "#base/excerpt.ts";
import { flag, type Infer, list, number, object, optional, parse, text } from "#base/schema.ts";
import { Branches } from "./branches.ts";
import { conversationTitle, entryText } from "./conversation.ts";
import type { Drafts } from "./drafts.ts";
import { INDEX, idFromName, type JournalFiles, splitName } from "./journal-files.ts";
import { type FoundConversation, JournalReader } from "./journal-reader.ts";

/** Line of the index. */
const LINE = object({
	...{ id: text(), title: text(), pinned: flag() },
	/** Beginning of the last message, on one line, and its time in milliseconds since 1970. */
	...{ snippet: text(), at: number() },
	/** Time of the deletion; undefined while it is there. */
	gone: optional(number()),
	/** Turns and replies, of all versions. */
	messages: number(),
	/** The name of its files, and the size of the journal that it was made from. */
	...{ name: text(), size: number() },
});

type IndexLine = Infer<typeof LINE>;

/** Conversation as a list shows it. */
export type ListedConversation = Omit<IndexLine, "name" | "size">;

/** Characters of a snippet. */
const SNIPPET = 120;

/**
 * Summaries of conversations for lists, so that not every journal has to be read. Each names the size of the journal it
 * was made from: one that is behind, or missing, is made anew from the journal itself.
 */
export class ConversationIndex {
	readonly #files: JournalFiles;
	readonly #drafts: Pick<Drafts, "read">;
	#lines: ReadonlyMap<string, IndexLine> | undefined;

	constructor(files: JournalFiles, drafts: Pick<Drafts, "read">) {
		this.#files = files;
		this.#drafts = drafts;
	}

	/** All conversations with something in them, the deleted ones too: pinned ones first, then the newest. */
	async list(): Promise<ListedConversation[]> {
		const before = this.#lines ?? (await this.#read());
		const lines = new Map<string, IndexLine>();
		const drafts = new Map<string, string>();
		for (const { name: file, size } of await this.#files.list()) {
			const { kind, name = "" } = splitName(file) ?? {};
			if (kind === "draft") drafts.set(name, file);
			if (kind !== "journal") continue;
			const known = before.get(name);
			const line = known?.size === size ? known : await this.#summary(file, name);
			if (line !== undefined) lines.set(name, line);
		}
		this.#lines = lines;
		const all = [...lines.values()];
		if (all.some((line) => before.get(line.name) !== line)) {
			// The index only saves work: one that cannot be written is made again the next time.
			await this.#files.write(INDEX, JSON.stringify(all)).catch(() => undefined);
		}
		const listed: ListedConversation[] = all.filter(({ messages }) => messages > 0);
		for (const [name, file] of drafts) {
			const line = lines.get(name);
			const draft = line === undefined || line.messages === 0 ? await this.#drafts.read(file) : undefined;
			if (draft === undefined) continue;
			const { id, at, text } = draft;
			listed.push({ pinned: false, title: "Draft", messages: 0, ...line, id, at, snippet: excerpt(text, SNIPPET) });
		}
		return listed.sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.at - a.at);
	}

	async #summary(file: string, name: string): Promise<IndexLine | undefined> {
		try {
			const reader = await new JournalReader().takeFrom(this.#files, file);
			const listed = listedOf(reader.found());
			return reader.read === 0 ? undefined : { ...listed, id: listed.id || idFromName(name), name, size: reader.read };
		} catch {
			// A file that cannot be read must not take the others with it.
			return undefined;
		}
	}

	async #read(): Promise<ReadonlyMap<string, IndexLine>> {
		try {
			const lines = JSON.parse(new TextDecoder().decode(await this.#files.read(INDEX)));
			return new Map(parse(list(LINE), lines, "messages").map((line) => [line.name, line]));
		} catch {
			return new Map();
		}
	}
}

/** Summary of a conversation for a list. */
export function listedOf(found: FoundConversation): ListedConversation {
	const { id, entries, facts, at, gone } = found;
	const last = entries.map(entryText).findLast((text) => text !== "") ?? "";
	return {
		...{ id, title: conversationTitle(new Branches(found).path, facts.title), snippet: excerpt(last, SNIPPET), at },
		...{ pinned: facts.pinned === true, messages: entries.length },
		...(gone === undefined ? {} : { gone }),
	};
}

import { excerpt } from "#base/excerpt.ts";
import { flag, number, object, optional, parse, text } from "#base/schema.ts";
import { Branches } from "./branches.ts";
import { textOf, titleOf } from "./conversation.ts";
import type { Drafts } from "./drafts.ts";
import { type FileFacts, INDEX, idOf, type JournalFiles, splitName } from "./journal-files.ts";
import { type FoundConversation, JournalReader } from "./journal-reader.ts";

/** Conversation as a list shows it. */
export interface ListedConversation {
	readonly id: string;
	readonly title: string;
	/** Beginning of the last message, on one line. */
	readonly snippet: string;
	/** Time of it, in milliseconds since 1970. */
	readonly at: number;
	readonly pinned: boolean;
	/** Time of its deletion; undefined while it is there. */
	readonly gone?: number | undefined;
	/** Turns and replies, of all versions. */
	readonly messages: number;
	/** The name of its files. */
	readonly name: string;
}

/** Line of the index: the summary of a journal of that size. */
type IndexLine = ListedConversation & { readonly size: number };

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
		const drafts = new Set<string>();
		let isStale = false;
		for (const fact of await this.#files.list()) {
			const file = splitName(fact.name);
			if (file?.kind === "draft") drafts.add(fact.name);
			if (file?.kind !== "journal") continue;
			const known = before.get(file.name);
			const line = known?.size === fact.size ? known : await this.#summary(fact, file.name);
			isStale ||= line !== known;
			if (line !== undefined) lines.set(file.name, line);
		}
		this.#lines = lines;
		if (isStale) await this.#write(lines.values());
		const drafted = await this.#drafted(drafts, lines);
		return [...[...lines.values()].filter(({ messages }) => messages > 0), ...drafted].sort(inOrder);
	}

	async #summary({ name: file }: FileFacts, name: string): Promise<IndexLine | undefined> {
		try {
			const reader = await new JournalReader().takeFrom(this.#files, file);
			const listed = listedOf(reader.found());
			return reader.read === 0 ? undefined : { ...listed, id: listed.id || idOf(name), name, size: reader.read };
		} catch {
			// A file that cannot be read must not take the others with it.
			return undefined;
		}
	}

	/** Conversations in which nothing was said yet, but something is typed. */
	async #drafted(
		files: ReadonlySet<string>,
		lines: ReadonlyMap<string, ListedConversation>,
	): Promise<ListedConversation[]> {
		const found: ListedConversation[] = [];
		for (const file of files) {
			const name = splitName(file)?.name ?? file;
			const line = lines.get(name);
			if (line !== undefined && line.messages > 0) continue;
			const draft = await this.#drafts.read(file);
			if (draft === undefined) continue;
			const { id, at, text } = draft;
			found.push({
				...{ pinned: false, title: "Draft", ...line },
				...{ id, at, snippet: excerpt(text, SNIPPET), messages: 0, name },
			});
		}
		return found;
	}

	async #read(): Promise<ReadonlyMap<string, IndexLine>> {
		const text = await this.#files.read(INDEX).then(
			(bytes) => new TextDecoder().decode(bytes),
			() => "",
		);
		const lines = text.split("\n").map(readIndexLine);
		return new Map(lines.flatMap((line) => (line === undefined ? [] : [[line.name, line]])));
	}

	/** The index only saves work: one that cannot be written is made again the next time. */
	async #write(lines: Iterable<IndexLine>): Promise<void> {
		const text = [...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
		await this.#files.write(INDEX, text).catch(() => undefined);
	}
}

/** Summary of a conversation for a list. */
export function listedOf(found: FoundConversation): Omit<ListedConversation, "name"> {
	const { id, entries, facts, at, gone } = found;
	const last = entries.map(textOf).findLast((text) => text !== "") ?? "";
	return {
		...{ id, title: titleOf(new Branches(found).path, facts.title), snippet: excerpt(last, SNIPPET), at },
		...{ pinned: facts.pinned === true, messages: entries.length },
		...(gone === undefined ? {} : { gone }),
	};
}

function inOrder(a: ListedConversation, b: ListedConversation): number {
	return Number(b.pinned) - Number(a.pinned) || b.at - a.at;
}

const INDEX_LINE = object({
	...{ id: text(), title: text(), snippet: text(), name: text(), at: number(), messages: number(), size: number() },
	...{ pinned: flag(), gone: optional(number()) },
});

function readIndexLine(line: string): IndexLine | undefined {
	try {
		return parse(INDEX_LINE, JSON.parse(line), "messages");
	} catch {
		return undefined;
	}
}

import { excerpt } from "#base/excerpt.ts";
import { Branches } from "./branches.ts";
import type { Entry } from "./conversation.ts";
import { replyText, titleOf } from "./conversation.ts";
import type { DraftFiles } from "./draft-files.ts";
import { fields, flag, number, or, type Read, text } from "./fields.ts";
import { journalChunk, LineReader } from "./journal.ts";
import { type FileFacts, INDEX, idOf, type JournalFiles, splitName } from "./journal-files.ts";
import { type FoundConversation, JournalReader } from "./journal-reader.ts";

/** A conversation as a list shows it. */
export interface ListedConversation {
	readonly id: string;
	readonly title: string;
	/** The beginning of what was said last, on one line. */
	readonly snippet: string;
	/** When that was, in milliseconds since 1970. */
	readonly at: number;
	readonly pinned: boolean;
	/** When it was deleted; undefined while it is there. */
	readonly gone?: number | undefined;
	/** Turns and replies, of all versions. */
	readonly messages: number;
	/** The name of its files. */
	readonly name: string;
}

/** A line of the index: what a journal of that size says. */
interface IndexLine extends ListedConversation {
	readonly size: number;
}

/** Lines that may be out of date before the index is written anew. */
const MOST_STALE = 500;

/** Characters of a snippet. */
const SNIPPET = 120;

/**
 * What lists tell of conversations, without reading each of them whole. Every line names the size of the journal it was
 * made from: one that is behind, or missing with the whole index, is made anew from the journal itself.
 */
export class ConversationIndex {
	readonly #files: JournalFiles;
	readonly #drafts: Pick<DraftFiles, "read">;
	readonly #lines = new Map<string, IndexLine>();
	#index = new LineReader();
	#count = 0;

	constructor(files: JournalFiles, drafts: Pick<DraftFiles, "read">) {
		this.#files = files;
		this.#drafts = drafts;
	}

	/** All conversations with something in them, the deleted ones too: pinned ones first, then the newest. */
	async list(): Promise<ListedConversation[]> {
		const facts = await this.#files.list();
		await this.#catchUp(facts.find(({ name }) => name === INDEX)?.size ?? 0);
		const listed: ListedConversation[] = [];
		const changed: IndexLine[] = [];
		const drafts = new Set<string>();
		for (const fact of facts) {
			const file = splitName(fact.name);
			if (file?.kind === "draft") drafts.add(fact.name);
			if (file?.kind !== "journal") continue;
			let line = this.#lines.get(file.name);
			if (line?.size !== fact.size) {
				line = await this.#summary(fact, file.name);
				if (line !== undefined) changed.push(line);
			}
			if (line === undefined) continue;
			listed.push(line);
		}
		await this.#write(changed, listed);
		const drafted = await this.#drafted(drafts, listed);
		return [...listed.filter(({ messages }) => messages > 0), ...drafted].sort(inOrder);
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
	async #drafted(files: ReadonlySet<string>, listed: readonly ListedConversation[]): Promise<ListedConversation[]> {
		const begun = new Map(listed.map((each) => [each.name, each]));
		const found = new Map<string, ListedConversation>();
		for (const name of files) {
			const line = begun.get(splitName(name)?.name ?? name);
			if (line !== undefined && line.messages > 0) continue;
			const draft = await this.#drafts.read(name);
			if (draft === undefined) continue;
			const { id, at, text } = draft;
			found.set(id, {
				pinned: false,
				title: "Draft",
				...line,
				id,
				at,
				snippet: excerpt(text, SNIPPET),
				messages: 0,
				name,
			});
		}
		return [...found.values()];
	}

	async #catchUp(size: number): Promise<void> {
		if (size < this.#index.read) {
			// Another window has written it anew.
			this.#lines.clear();
			this.#index = new LineReader();
			this.#count = 0;
		}
		if (size === this.#index.read) return;
		try {
			for await (const piece of this.#files.pieces(INDEX, this.#index.read)) {
				const lines = this.#index.take(piece).map(readIndexLine);
				for (const line of lines.filter((each) => each !== undefined)) this.#lines.set(line.name, line);
				this.#count += lines.length;
			}
		} catch {
			// Every journal it does not tell of is read.
		}
	}

	/** The index only saves work: what cannot be written is found out again the next time. */
	async #write(changed: readonly IndexLine[], listed: readonly ListedConversation[]): Promise<void> {
		for (const line of changed) this.#lines.set(line.name, line);
		const there = new Set(listed.map(({ name }) => name));
		for (const name of this.#lines.keys()) if (!there.has(name)) this.#lines.delete(name);
		const text = (lines: Iterable<IndexLine>) => [...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
		try {
			if (this.#count + changed.length > this.#lines.size + MOST_STALE) {
				await this.#files.write(INDEX, text(this.#lines.values()));
				this.#count = this.#lines.size;
				this.#index = new LineReader(await this.#files.size(INDEX));
			} else if (changed.length > 0) {
				await this.#files.append(INDEX, journalChunk(text(changed)), { create: true });
			}
		} catch {
			this.#index = new LineReader();
		}
	}
}

/** What a list tells of a conversation. */
export function listedOf(found: FoundConversation): Omit<ListedConversation, "name"> {
	const { id, entries, facts, at, gone } = found;
	const last = entries.findLast((entry) => textOf(entry) !== "");
	return {
		...{
			id,
			title: titleOf(new Branches(found).path, facts.title),
			snippet: last === undefined ? "" : excerpt(textOf(last), SNIPPET),
			at,
		},
		...{ pinned: facts.pinned === true, messages: entries.length },
		...(gone === undefined ? {} : { gone }),
	};
}

function textOf(entry: Entry): string {
	return entry.role === "user" ? entry.text : replyText(entry.reply);
}

function inOrder(a: ListedConversation, b: ListedConversation): number {
	return Number(b.pinned) - Number(a.pinned) || b.at - a.at;
}

function readIndexLine(text: string): IndexLine | undefined {
	try {
		return indexLine(JSON.parse(text), "");
	} catch {
		return undefined;
	}
}

const indexLine: Read<IndexLine> = fields({
	...{ id: text, title: text, snippet: text, name: text, at: number, messages: number, size: number, pinned: flag },
	gone: or(number, undefined),
});

import { type Disposable, ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { invalid } from "#base/errors.ts";
import { excerpt } from "#base/excerpt.ts";
import { flag, type Infer, number, object, optional, parsedJson, text } from "#base/schema.ts";
import { Branches, NOTHING } from "./branches.ts";
import { recordsOf } from "./changes.ts";
import { type ConversationState, conversationTitle, entryText } from "./conversation.ts";
import { Drafts } from "./drafts.ts";
import { ImageStore } from "./images.ts";
import { type JournalRecord, journalChunk, journalLine, LineReader, type RecordOf, STORED_VERSION } from "./journal.ts";
import {
	type ChatStorage,
	DiskErrorReporter,
	type FileFacts,
	fileOf,
	INDEX,
	idFromName,
	type JournalFiles,
	splitName,
} from "./journal-files.ts";
import { type FoundConversation, JournalReader } from "./journal-reader.ts";
import { leasesOf, openElsewhere } from "./leases.ts";
import { type JournalStorage, OpenJournal } from "./open-journal.ts";
import type { ChatSession } from "./session.ts";

/** Polling interval for changes by other windows, for systems without file events, in ms. */
const LOOK_EVERY_MS = 3_000;

/** Time in which a deleted conversation can be restored, in ms. */
const KEPT_MS = 24 * 3600_000;

/** Stores each conversation in a journal that only grows, so that a crash loses nothing. One window writes it, others follow. */
export class ConversationStore extends ResourceOwner {
	readonly drafts: Drafts;
	readonly images: ImageStore;
	readonly #storage: JournalStorage;
	readonly #index: ConversationIndex;
	readonly #open = new Map<string, OpenJournal>();
	/** Conversations that were read, and are not followed yet. */
	readonly #opened = new Map<string, { readonly known: number; readonly isElsewhere: boolean }>();
	readonly #changed = this.held.add(new Emitter<void>());
	readonly #deleted = this.held.add(new Emitter<string>());
	readonly #errors = new DiskErrorReporter(
		(reason) => `Conversations cannot be saved just now: ${reason}. Export what you need before you close the window.`,
	);
	#looking: Disposable;

	constructor(storage: ChatStorage, pid: number) {
		super();
		const { files, clock } = storage;
		const leases = leasesOf(files, clock, pid);
		this.#storage = { ...storage, leases, errors: this.#errors, deleted: (id) => this.#deleted.fire(id) };
		this.drafts = this.held.add(new Drafts(storage, this.#errors));
		this.images = new ImageStore(files);
		this.#index = new ConversationIndex(files, this.drafts);
		this.held.add(files.watch((name) => this.#hear(name)));
		this.#looking = clock.after(LOOK_EVERY_MS, () => this.#lookAround());
	}

	/** Fires when the list may have changed, in any window. */
	readonly onDidChange = this.#changed.event;

	/** Fires with the id of an open conversation that was deleted in another window. */
	readonly onDidDelete = this.#deleted.event;

	/** Fires with a sentence for the person when writes begin to fail. */
	readonly onDidFail = this.#errors.onDidBegin;

	/** Writes an open conversation a moment after each change from now on. */
	follow(session: ChatSession): void {
		const { known, isElsewhere } = this.#opened.get(session.id) ?? { known: 0, isElsewhere: false };
		const journal = new OpenJournal(session, known, this.#storage);
		this.#opened.delete(session.id);
		this.#open.set(session.id, journal);
		if (isElsewhere) session.setReadOnly(true);
	}

	/** Writes all changes so far, safe from a power failure. Rejects with `invalid` if another window writes the conversation. */
	async save(session: ChatSession): Promise<void> {
		await this.#open.get(session.id)?.write({ sync: true });
		if (session.isReadOnly) throw openElsewhere();
	}

	/** Takes over the lease of a conversation that another window writes. */
	async continueHere(session: ChatSession): Promise<void> {
		await this.#open.get(session.id)?.takeOver();
	}

	/** Writes everything before the window ends. */
	async flush(): Promise<void> {
		await Promise.all([...[...this.#open.values()].map((journal) => journal.write()), this.drafts.flush()]);
	}

	/** Closes a conversation once it is written; false if that failed. */
	async close(session: ChatSession): Promise<boolean> {
		const journal = this.#open.get(session.id);
		if (journal?.session !== session) return true;
		if (!(await journal.close())) return false;
		this.#open.delete(session.id);
		await this.drafts.close(session.id);
		return true;
	}

	/** Reads a conversation with its draft to open it; undefined if there is neither. */
	async open(id: string): Promise<FoundConversation | undefined> {
		const draft = await this.drafts.load(id);
		const isElsewhere = await this.#storage.leases.isElsewhere(id);
		const reader = await new JournalReader().takeFrom(this.#storage.files, fileOf(id));
		this.#opened.set(id, { known: reader.read, isElsewhere });
		const found = this.#foundIn(reader, id, isElsewhere);
		if (found !== undefined) return found;
		const isDraft = draft.text !== "" || draft.attachments.length > 0;
		return isDraft ? new JournalReader().found() : undefined;
	}

	async read(id: string): Promise<FoundConversation | undefined> {
		return this.#foundIn(await new JournalReader().takeFrom(this.#storage.files, fileOf(id)), id);
	}

	/** Lists the deleted conversations or all others, pinned ones first, then the newest. */
	async list({ deleted = false }: { readonly deleted?: boolean } = {}): Promise<ListedConversation[]> {
		await Promise.all([...this.#open.values()].map((journal) => journal.write()));
		const all = await this.#index.list();
		return all.filter(({ gone }) => (gone !== undefined) === deleted);
	}

	async add(id: string, state: ConversationState): Promise<void> {
		const at = this.#storage.clock.now();
		await this.#append(id, [{ t: "begin", v: STORED_VERSION, id, at }, ...recordsOf(NOTHING, state, at)]);
	}

	/** Changes a conversation, open or not. */
	async change(id: string, record: RecordOf<"facts" | "gone">): Promise<void> {
		const { files, clock } = this.#storage;
		const begin = { t: "begin", v: STORED_VERSION, id, at: clock.now() } as const;
		await this.#append(id, (await files.size(fileOf(id))) === 0 ? [begin, record] : [record]);
	}

	async discard(id: string): Promise<void> {
		for (const file of [fileOf(id), fileOf(id, ".draft"), fileOf(id, ".lease")]) await this.#storage.files.remove(file);
		this.#changed.fire();
	}

	/** Removes conversations that were deleted long enough ago, and unreferenced images. */
	async clean(): Promise<void> {
		const { clock } = this.#storage;
		for (const { id, gone } of await this.list({ deleted: true })) {
			if (gone === undefined || clock.now() - gone < KEPT_MS || this.#open.has(id)) continue;
			await this.discard(id);
		}
		await this.drafts.flush();
		await this.images.clean(clock.now() - KEPT_MS);
	}

	override dispose(): void {
		this.#looking.dispose();
		for (const journal of this.#open.values()) journal.dispose();
		super.dispose();
	}

	async #append(id: string, records: readonly JournalRecord[]): Promise<void> {
		const { secretFilter, files } = this.#storage;
		await secretFilter.ready();
		const lines = records.map((record) => journalLine(secretFilter.redact(record))).join("");
		const journal = this.#open.get(id);
		if (journal !== undefined) await journal.append(lines);
		else await files.append(fileOf(id), journalChunk(lines));
		this.#changed.fire();
	}

	#hear(name: string): void {
		const file = splitName(name);
		if (file === undefined) return;
		for (const journal of this.#open.values()) {
			if (splitName(journal.file)?.name === file.name && file.ending !== ".draft") journal.lookSoon();
		}
		if (file.ending !== ".lease") this.#changed.fire();
	}

	#lookAround(): void {
		this.#looking = this.#storage.clock.after(LOOK_EVERY_MS, () => this.#lookAround());
		for (const journal of this.#open.values()) void journal.look();
	}

	#foundIn(reader: JournalReader, id: string, isElsewhere = false): FoundConversation | undefined {
		if (reader.read === 0) return undefined;
		const { log, clock } = this.#storage;
		if (reader.isDamaged) throw invalid("messages", "conversation", "has a damaged file, and can only be deleted");
		if (reader.skipped > 0) log.warn(`Lines of ${fileOf(id)} that could not be read: ${reader.skipped}`);
		return { ...reader.found(isElsewhere ? clock : undefined), id };
	}
}

const LINE = object({
	id: text(),
	title: text(),
	pinned: flag(),
	/** Beginning of the last message, on one line. */
	snippet: text(),
	/** Time of the last message, in milliseconds since 1970. */
	at: number(),
	gone: optional(number()),
	/** Number of turns and replies of all versions. */
	messages: number(),
	name: text(),
	/** Size of the journal when this summary was written; another size means that it is stale. */
	size: number(),
});

type IndexLine = Infer<typeof LINE>;

/** First line of the index; an index of another version is made anew. */
const INDEX_HEAD = JSON.stringify({ v: STORED_VERSION });

/** Conversation in a list. */
export interface ListedConversation extends Omit<IndexLine, "name" | "size"> {
	/** True if its file cannot be read, so that it can only be deleted. */
	readonly isUnreadable?: true;
}

/** Line of the index and its text: stringifying all lines at once would block for long. */
interface KnownLine {
	readonly line: IndexLine;
	readonly json: string;
}

const SNIPPET = 120;

/** Maximum number of concurrent reads, by the threads of the operating system. */
const READ_AT_ONCE = 16;

/** Index of conversations, so that a list needs no journals. A line is made anew if its journal has another size. */
export class ConversationIndex {
	readonly #files: JournalFiles;
	readonly #drafts: Pick<Drafts, "read">;
	#known: ReadonlyMap<string, KnownLine> | undefined;

	constructor(files: JournalFiles, drafts: Pick<Drafts, "read">) {
		this.#files = files;
		this.#drafts = drafts;
	}

	/** Lists all conversations with content, the deleted ones too: pinned ones first, then the newest. */
	async list(): Promise<ListedConversation[]> {
		const before = this.#known ?? (await this.#read());
		const known = new Map<string, KnownLine>();
		const drafts = new Map<string, string>();
		const unread: { readonly name: string; readonly file: FileFacts }[] = [];
		for (const file of await this.#files.list()) {
			const { ending, name = "" } = splitName(file.name) ?? {};
			if (ending === ".draft") drafts.set(name, file.name);
			if (ending !== ".jsonl") continue;
			const same = before.get(name);
			if (same?.line.size === file.size) known.set(name, same);
			else unread.push({ name, file });
		}
		const listed: ListedConversation[] = [];
		for (let from = 0; from < unread.length; from += READ_AT_ONCE) {
			const some = unread.slice(from, from + READ_AT_ONCE);
			for (const found of await Promise.all(some.map(({ name, file }) => this.#summary(name, file)))) {
				if (found === undefined) continue;
				if ("name" in found) known.set(found.name, { line: found, json: JSON.stringify(found) });
				else listed.push(found);
			}
		}
		const isNews = unread.length > 0 || known.size !== before.size;
		this.#known = known;
		if (isNews) {
			const text = [INDEX_HEAD, ...[...known.values()].map(({ json }) => json), ""].join("\n");
			// A failed write only costs the work again.
			await this.#files.write(INDEX, text).catch(() => undefined);
		}
		for (const { line } of known.values()) if (line.messages > 0) listed.push(line);
		for (const [name, file] of drafts) {
			const line = known.get(name)?.line;
			const draft = line === undefined || line.messages === 0 ? await this.#drafts.read(file) : undefined;
			if (draft === undefined) continue;
			const { at, text } = draft;
			const id = idFromName(name, draft.id);
			listed.push({ pinned: false, title: "Draft", messages: 0, ...line, id, at, snippet: excerpt(text, SNIPPET) });
		}
		return listed.sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.at - a.at);
	}

	/** Summarizes a journal with content; an unreadable one becomes a row of its own. */
	async #summary(name: string, { name: file, at }: FileFacts): Promise<IndexLine | ListedConversation | undefined> {
		try {
			const reader = await new JournalReader().takeFrom(this.#files, file);
			if (reader.isDamaged) throw new Error("Its file is damaged.");
			const listed = listedOf(reader.found());
			return reader.read === 0 ? undefined : { ...listed, id: idFromName(name, listed.id), name, size: reader.read };
		} catch (error) {
			const snippet = error instanceof Error ? error.message : String(error);
			const title = "Conversation that cannot be read";
			return { id: idFromName(name, ""), title, pinned: false, snippet, at, messages: 0, isUnreadable: true };
		}
	}

	/** Reads the index line by line, since all at once would block for long. */
	async #read(): Promise<ReadonlyMap<string, KnownLine>> {
		const known = new Map<string, KnownLine>();
		const reader = new LineReader();
		let isOurs: boolean | undefined;
		try {
			for await (const piece of this.#files.pieces(INDEX)) {
				for (const json of reader.take(piece)) {
					isOurs ??= json === INDEX_HEAD;
					const line = isOurs ? parsedJson(LINE, json) : undefined;
					if (line !== undefined) known.set(line.name, { line, json });
				}
			}
		} catch {
			// The lines read so far still save work.
		}
		return known;
	}
}

/** Summarizes a conversation for a list. */
export function listedOf(found: FoundConversation): ListedConversation {
	const { id, entries, facts, at, gone } = found;
	const title = conversationTitle(new Branches(found).path, facts.title);
	const snippet = excerpt(entries.map(entryText).findLast((text) => text !== "") ?? "", SNIPPET);
	const listed = { id, title, snippet, at, pinned: facts.pinned === true, messages: entries.length };
	return gone === undefined ? listed : { ...listed, gone };
}

import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { KeyValueStore, Log } from "../ports.ts";
import type { ConversationState } from "./conversation.ts";
import { ConversationIndex, type ListedConversation } from "./conversation-index.ts";
import { DraftFiles } from "./draft-files.ts";
import type { Draft } from "./drafts.ts";
import { Fold, type FoundConversation } from "./fold.ts";
import { type JournalRecord, journalChunk, journalLine } from "./journal.ts";
import { draftsOf, type JournalFiles, journalOf, splitName } from "./journal-files.ts";
import { type Opened, OpenJournal } from "./open-journal.ts";
import { Outage } from "./outage.ts";
import type { SecretFilter } from "./redacted-reply.ts";
import { Runs } from "./runs.ts";
import { recordsOf } from "./saved-reply.ts";
import type { ChatSession } from "./session.ts";

/** What the store works with. */
export interface StoreParts {
	readonly files: JournalFiles;
	readonly clock: Clock;
	readonly log: Log;
	readonly secretFilter: SecretFilter;
	/** The number of this process. */
	readonly pid: number;
	/** Remembers things in this workspace. */
	readonly memory: KeyValueStore;
}

/** How often what other windows write is looked for where the system does not tell of it. Milliseconds. */
const LOOK_EVERY_MS = 3_000;

/** A deleted conversation can be brought back so long. Milliseconds. */
const KEPT_MS = 24 * 3600_000;

/**
 * Keeps conversations on the disk while they happen, so that no crash loses anything: each in a journal that only grows,
 * to which several windows may write at once.
 */
export class ConversationStore implements Disposable {
	readonly #parts: StoreParts;
	readonly #drafts: DraftFiles;
	readonly #index: ConversationIndex;
	readonly #open = new Map<string, OpenJournal>();
	/** What is known of conversations that are about to be followed. */
	readonly #opened = new Map<string, Opened>();
	readonly #changed = new Emitter<void>();
	readonly #deleted = new Emitter<string>();
	readonly #outage = new Outage();
	readonly #runs: Runs;
	readonly #watching: Disposable;
	#looking: Disposable;

	constructor(parts: StoreParts) {
		this.#parts = parts;
		const { files, clock, log, secretFilter, pid, memory } = parts;
		this.#runs = new Runs({ files, clock, pid, memory });
		this.#drafts = new DraftFiles({
			...{ files, clock, log, secretFilter, outage: this.#outage, by: this.#runs.own },
			isRunning: (by) => this.#runs.isRunning(by),
			isEarlier: (by) => this.#runs.isEarlier(by),
		});
		this.#index = new ConversationIndex(files, this.#drafts);
		this.#watching = files.watch((name) => this.#hear(name));
		this.#looking = clock.after(LOOK_EVERY_MS, () => this.#lookAround());
	}

	/** Fires when the list may have become another, here or in another window. */
	readonly onDidChange = this.#changed.event;

	/** Fires with the id of an open conversation that was deleted in another window. */
	readonly onDidDelete = this.#deleted.event;

	/** Fires once when things cannot be written any more, with a sentence for the person. */
	readonly onDidFail = this.#outage.onDidBegin;

	/** Writes a conversation down from now on, a moment after each change. */
	follow(session: ChatSession): void {
		const { files, clock, log, secretFilter } = this.#parts;
		const opened = this.#opened.get(session.id) ?? { known: 0, running: [] };
		const journal = new OpenJournal(session, opened, {
			...{ files, clock, log, secretFilter, runs: this.#runs, outage: this.#outage },
			deleted: (id) => this.#deleted.fire(id),
		});
		this.#opened.delete(session.id);
		this.#open.set(session.id, journal);
	}

	/**
	 * Writes down what has happened so far, safe from a power failure. Never rejects: {@link onDidFail} tells what could
	 * not be saved. False where another window has said first what was queued under that id.
	 */
	async save(session: ChatSession, queued?: string): Promise<boolean> {
		const journal = this.#open.get(session.id);
		if (journal === undefined) return true;
		await journal.write({ sync: true });
		if (queued === undefined) return true;
		const by = (await new Fold().takeFrom(this.#parts.files, journal.file).catch(() => undefined))?.saidBy(queued);
		return by === undefined || by === this.#runs.own;
	}

	/** Writes down everything and resolves when it is on the disk: the window is about to end. */
	async flush(): Promise<void> {
		await Promise.all([...[...this.#open.values()].map((journal) => journal.write()), this.#drafts.flush()]);
	}

	/** Follows a conversation no longer, once all of it is on the disk; says whether it could be put there. */
	async letGo(session: ChatSession): Promise<boolean> {
		const journal = this.#open.get(session.id);
		if (journal?.session !== session) return true;
		await journal.write();
		if (!journal.isWhole) return false;
		this.#open.delete(session.id);
		journal.dispose();
		await this.#drafts.letGo(session.id);
		return true;
	}

	/** A conversation from the disk, with its draft; undefined where there is neither. */
	async open(id: string): Promise<FoundConversation | undefined> {
		const draft = await this.#drafts.load(id);
		const fold = await new Fold().takeFrom(this.#parts.files, journalOf(id));
		const found = this.#foundIn(fold, id);
		this.#opened.set(id, { known: fold.read, running: found === undefined ? [] : this.#runs.othersIn(found) });
		if (found !== undefined) return found;
		const isDraft = draft.text !== "" || draft.attachments.length > 0;
		return isDraft ? new Fold().found() : undefined;
	}

	/** What the disk has of a conversation; undefined where it has nothing. */
	async read(id: string): Promise<FoundConversation | undefined> {
		return this.#foundIn(await new Fold().takeFrom(this.#parts.files, journalOf(id)), id);
	}

	/** All conversations but the deleted ones, or those: pinned ones first, then the newest. */
	async list({ deleted = false }: { readonly deleted?: boolean } = {}): Promise<ListedConversation[]> {
		await Promise.all([...this.#open.values()].map((journal) => journal.write()));
		const all = await this.#index.list();
		return all.filter(({ gone }) => (gone !== undefined) === deleted);
	}

	/** Puts down a conversation that comes from elsewhere, begun at that time if its entries have none. */
	async add(id: string, { entries, chosen, facts }: ConversationState, at = this.#parts.clock.now()): Promise<void> {
		const { secretFilter } = this.#parts;
		await secretFilter.ready();
		const { queue = [], ...own } = facts;
		const records: JournalRecord[] = [
			{ t: "begin", v: 2, id, at },
			{ t: "facts", ...own },
			...entries.flatMap(recordsOf),
			...chosen.map((each) => ({ t: "choose", id: each }) as const),
			...queue.map((turn) => ({ t: "queue", at, ...turn }) as const),
		];
		await this.#append(id, records);
	}

	/** Changes a conversation, open or not. */
	async change(id: string, record: JournalRecord & { readonly t: "facts" | "gone" }): Promise<void> {
		const isNew = (await this.#parts.files.size(journalOf(id))) === 0;
		await this.#append(id, isNew ? [{ t: "begin", v: 2, id, at: this.#parts.clock.now() }, record] : [record]);
	}

	/** What the person has put together in a conversation that is open, and not sent. */
	draft(id: string): Draft {
		return this.#drafts.get(id);
	}

	/** Whether there is one. */
	hasDraft(id: string): boolean {
		const { text, attachments } = this.#drafts.get(id);
		return text.trim() !== "" || attachments.length > 0;
	}

	/** Keeps it, on the disk a moment later. */
	setDraft(id: string, draft: Draft): void {
		this.#drafts.set(id, draft);
	}

	/** Removes for good what was deleted long enough ago, and what never was a conversation. */
	async clean(): Promise<void> {
		const { files, clock } = this.#parts;
		for (const { id, gone } of await this.list({ deleted: true })) {
			if (gone === undefined || clock.now() - gone < KEPT_MS || this.#open.has(id)) continue;
			await files.remove(journalOf(id));
			for (const draft of draftsOf(id, await files.names())) await files.remove(draft);
		}
	}

	dispose(): void {
		this.#watching.dispose();
		this.#looking.dispose();
		for (const journal of this.#open.values()) journal.dispose();
		this.#drafts.dispose();
		this.#changed.dispose();
		this.#deleted.dispose();
	}

	async #append(id: string, records: readonly JournalRecord[]): Promise<void> {
		const { secretFilter } = this.#parts;
		await secretFilter.ready();
		const lines = records.map((record) => journalLine(secretFilter.redact(record))).join("");
		const journal = this.#open.get(id);
		if (journal !== undefined) await journal.append(lines);
		else await this.#parts.files.append(journalOf(id), journalChunk(lines), { create: true });
		this.#changed.fire();
	}

	#hear(name: string): void {
		const file = splitName(name);
		if (file === undefined) return;
		for (const journal of this.#open.values()) if (journal.file === name) journal.lookSoon();
		this.#changed.fire();
	}

	#lookAround(): void {
		this.#looking = this.#parts.clock.after(LOOK_EVERY_MS, () => this.#lookAround());
		for (const journal of this.#open.values()) journal.look();
	}

	#foundIn(fold: Fold, id: string): FoundConversation | undefined {
		if (fold.read === 0) return undefined;
		if (fold.skipped > 0) this.#parts.log.warn(`Lines of ${journalOf(id)} that could not be read: ${fold.skipped}`);
		return { ...this.#runs.withQueue(fold.found((reply) => this.#runs.since(reply))), id };
	}
}

import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { anything, list, number, object, oneOf, optional, parsed, text } from "#base/schema.ts";
import type { TurnEdit } from "#protocol/context.ts";
import { ATTACHMENTS, type Attachment } from "./attachments.ts";
import { isSame } from "./changes.ts";
import { SAVE_AFTER_MS, STORED_VERSION } from "./journal.ts";
import { type ChatStorage, type DiskErrorReporter, draftFileOf, readStored } from "./journal-files.ts";

/** Draft of a conversation. */
export interface Draft {
	readonly text: string;
	readonly attachments: readonly Attachment[];
	/** Edits of turns that were not sent, the last one last; absent if there are none. */
	readonly edits?: readonly TurnEdit[];
}

/** Draft as it was kept, with its conversation and the time of its last change, in milliseconds since 1970. */
interface SavedDraft extends Draft {
	readonly id: string;
	readonly at: number;
}

/** Another text stands in a draft. */
export interface DraftChange {
	readonly conversation: string;
	readonly text: string;
	/** Panel in which it was written: that one has it already. */
	readonly by: object | undefined;
}

/** Most edits that are kept of a conversation: those of turns that are gone stay behind. */
const MOST_EDITS = 20;

/** Delay before another try of a write that failed, in ms. */
const RETRY_AFTER_MS = 5_000;

const EMPTY: Draft = { text: "", attachments: [] };

/** The text counts: what else is odd in a file is left out. */
const SAVED = object({
	v: oneOf(STORED_VERSION),
	...{ id: text(), at: number(), text: text(), attachments: optional(anything()), edits: optional(anything()) },
});
const EDITS = list<TurnEdit>(object({ message: text(), text: text() }));

/**
 * The draft of each conversation that is open, in a small file that is written a moment after each change. Of several
 * windows the last write wins.
 */
export class Drafts implements Disposable {
	readonly #storage: ChatStorage;
	readonly #errors: DiskErrorReporter;
	readonly #drafts = new Map<string, Draft>();
	readonly #timers = new Map<string, Disposable>();
	readonly #changed = new Emitter<string>();
	readonly #written = new Emitter<DraftChange>();
	#writes: Promise<void> = Promise.resolve();

	constructor(storage: ChatStorage, errors: DiskErrorReporter) {
		this.#storage = storage;
		this.#errors = errors;
	}

	/** Fires with a conversation's id when what is attached to its draft has changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires when its text has changed. */
	readonly onDidWrite = this.#written.event;

	/** Draft of a conversation that is open. */
	of(conversation: string): Draft {
		return this.#drafts.get(conversation) ?? EMPTY;
	}

	/** True if something is typed or attached. */
	has(conversation: string): boolean {
		const { text, attachments } = this.of(conversation);
		return text.trim() !== "" || attachments.length > 0;
	}

	/** Keeps what is typed; `by` is where. */
	write(conversation: string, text: string, by?: object): void {
		const draft = this.of(conversation);
		if (draft.text === text) return;
		this.set(conversation, { ...draft, text });
		this.#written.fire({ conversation, text, by });
	}

	/** Keeps what is typed in place of a turn; null once it was sent or left. */
	edit(conversation: string, message: string, text: string | null): void {
		const { edits: before = [], ...draft } = this.of(conversation);
		const others = before.filter((each) => each.message !== message);
		const edits = (text === null ? others : [...others, { message, text }]).slice(-MOST_EDITS);
		this.set(conversation, edits.length === 0 ? draft : { ...draft, edits });
	}

	/** Attaches something; what came from the same place and says the same is there once. */
	attach(conversation: string, attachment: Attachment): Attachment {
		const { attachments } = this.of(conversation);
		const same = attachments.find((each) => isSame({ ...each, id: attachment.id }, attachment));
		if (same !== undefined) return same;
		this.#put(conversation, [...attachments, attachment]);
		return attachment;
	}

	/** Puts another text into something that is attached; says whether it was there. */
	change(conversation: string, id: string, change: Pick<Attachment, "label" | "text">): boolean {
		const { attachments } = this.of(conversation);
		const changed = attachments.map((each) => (each.id === id ? { ...each, ...change } : each));
		const isThere = attachments.some((each) => each.id === id);
		if (isThere) this.#put(conversation, changed);
		return isThere;
	}

	detach(conversation: string, id: string): void {
		const others = this.of(conversation).attachments.filter((each) => each.id !== id);
		this.#put(conversation, others);
	}

	/** Gives what of `asked` is still attached, and leaves the rest: it is about to be sent. The text is the panels' own. */
	take(conversation: string, asked: readonly Attachment[]): Pick<Draft, "attachments"> {
		const { attachments } = this.of(conversation);
		const isAsked = ({ id }: Attachment) => asked.some((each) => each.id === id);
		const others = attachments.filter((each) => !isAsked(each));
		this.#put(conversation, others);
		return { attachments: attachments.filter(isAsked) };
	}

	/** Keeps a draft, on the disk a moment later. */
	set(conversation: string, draft: Draft): void {
		this.#drafts.set(conversation, draft);
		this.#saveSoon(conversation);
	}

	/** Reads the draft of a conversation that is opened. */
	async load(id: string): Promise<Draft> {
		const found = this.#drafts.has(id) ? undefined : await this.read(draftFileOf(id));
		// Text that was typed meanwhile is newer.
		if (found !== undefined && !this.#drafts.has(id)) {
			const { id: _id, at: _at, ...draft } = found;
			this.#drafts.set(id, draft);
		}
		return this.of(id);
	}

	/** Draft in a file; undefined if there is none that can be read. */
	async read(file: string): Promise<SavedDraft | undefined> {
		const saved = await readStored(this.#storage.files, file, SAVED);
		if (saved === undefined) return undefined;
		const attachments = parsed(ATTACHMENTS, saved.attachments) ?? [];
		const edits = parsed(EDITS, saved.edits);
		return { ...{ id: saved.id, at: saved.at, text: saved.text, attachments }, ...(edits && { edits }) };
	}

	/** Forgets a conversation that is closed; its file stays. */
	async close(id: string): Promise<void> {
		if (this.#timers.has(id)) this.#save(id);
		await this.#writes;
		// A write that failed waits for the next try.
		if (!this.#timers.has(id)) this.#drafts.delete(id);
	}

	/** Saves what has changed and resolves when all of it is on the disk. */
	async flush(): Promise<void> {
		for (const id of [...this.#timers.keys()]) this.#save(id);
		await this.#writes;
	}

	dispose(): void {
		for (const timer of this.#timers.values()) timer.dispose();
		this.#timers.clear();
		this.#changed.dispose();
		this.#written.dispose();
	}

	#put(conversation: string, attachments: readonly Attachment[]): void {
		const before = this.of(conversation);
		this.set(conversation, { ...before, attachments });
		if (before.attachments.length + attachments.length > 0) this.#changed.fire(conversation);
	}

	#saveSoon(id: string, ms = SAVE_AFTER_MS): void {
		if (this.#timers.has(id)) return;
		const timer = this.#storage.clock.after(ms, () => this.#save(id));
		this.#timers.set(id, timer);
	}

	#save(id: string): void {
		this.#timers.get(id)?.dispose();
		this.#timers.delete(id);
		const { files, clock, log, secretFilter } = this.#storage;
		const file = draftFileOf(id);
		const draft = this.of(id);
		const isEmpty = draft.text === "" && draft.attachments.length === 0 && draft.edits === undefined;
		const saved = { v: STORED_VERSION, id, at: clock.now(), ...draft };
		this.#writes = this.#writes
			.then(secretFilter.ready)
			.then(() => (isEmpty ? files.remove(file) : files.write(file, JSON.stringify(secretFilter.redact(saved)))))
			.then(() => this.#errors.over(file))
			.catch((error: unknown) => {
				this.#errors.failed(file, error);
				log.error(`A draft could not be saved: ${String(error)}`);
				this.#saveSoon(id, RETRY_AFTER_MS);
			});
	}
}

import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { anything, list, number, object, oneOf, optional, parsed, text } from "#base/schema.ts";
import type { DraftView, TurnEdit } from "#protocol/context.ts";
import { ATTACHMENTS, type Attachment } from "./attachments.ts";
import { isSame } from "./changes.ts";
import { SAVE_AFTER_MS, STORED_VERSION } from "./journal.ts";
import { type ChatStorage, type DiskErrorReporter, fileOf, readStored } from "./journal-files.ts";

/** Draft of a conversation. */
export interface Draft extends Omit<DraftView, "attachments"> {
	readonly attachments: readonly Attachment[];
}

/** Change of a draft's text. */
export interface DraftChange {
	readonly conversation: string;
	readonly text: string;
	/** Panel in which it was typed. */
	readonly by: object | undefined;
}

/** Maximum number of stored edits: those of deleted turns are never removed. */
const MOST_EDITS = 20;

const RETRY_AFTER_MS = 5_000;

const EMPTY: Draft = { text: "", attachments: [] };

/** Stored draft. Attachments and edits are validated alone, so that the text is never lost. */
const SAVED = object({
	v: oneOf(STORED_VERSION),
	id: text(),
	at: number(),
	text: text(),
	attachments: optional(anything()),
	edits: optional(anything()),
});
const EDITS = list<TurnEdit>(object({ message: text(), text: text() }));

/** Drafts of open conversations, each in a file that is written a moment after a change. The last write of a window wins. */
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

	/** Fires with a conversation's id when its attachments have changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires when a text has changed. */
	readonly onDidWrite = this.#written.event;

	/** Draft of an open conversation. */
	of(conversation: string): Draft {
		return this.#drafts.get(conversation) ?? EMPTY;
	}

	/** True if something is typed or attached. */
	has(conversation: string): boolean {
		const { text, attachments } = this.of(conversation);
		return text.trim() !== "" || attachments.length > 0;
	}

	/** Stores the text typed in a panel. */
	write(conversation: string, text: string, by?: object): void {
		const draft = this.of(conversation);
		if (draft.text === text) return;
		this.set(conversation, { ...draft, text });
		this.#written.fire({ conversation, text, by });
	}

	/** Stores the edit of a turn; null once it was sent or discarded. */
	edit(conversation: string, message: string, text: string | null): void {
		const { edits: before = [], ...draft } = this.of(conversation);
		const others = before.filter((each) => each.message !== message);
		const edits = (text === null ? others : [...others, { message, text }]).slice(-MOST_EDITS);
		this.set(conversation, edits.length === 0 ? draft : { ...draft, edits });
	}

	/** Adds an attachment, unless an equal one is there. */
	attach(conversation: string, attachment: Attachment): Attachment {
		const { attachments } = this.of(conversation);
		const same = attachments.find((each) => isSame({ ...each, id: attachment.id }, attachment));
		if (same !== undefined) return same;
		this.#put(conversation, [...attachments, attachment]);
		return attachment;
	}

	/** Changes the text of an attachment; false if there is none. */
	change(conversation: string, id: string, change: Pick<Attachment, "label" | "text">): boolean {
		const { attachments } = this.of(conversation);
		const at = attachments.findIndex((each) => each.id === id);
		const before = attachments[at];
		if (before !== undefined) this.#put(conversation, attachments.with(at, { ...before, ...change }));
		return before !== undefined;
	}

	detach(conversation: string, id: string): void {
		const others = this.of(conversation).attachments.filter((each) => each.id !== id);
		this.#put(conversation, others);
	}

	/** Removes and returns those of `asked` that are still attached, to send them. */
	take(conversation: string, asked: readonly Attachment[]): Pick<Draft, "attachments"> {
		const { attachments } = this.of(conversation);
		const isAsked = ({ id }: Attachment) => asked.some((each) => each.id === id);
		const others = attachments.filter((each) => !isAsked(each));
		this.#put(conversation, others);
		return { attachments: attachments.filter(isAsked) };
	}

	/** Stores a draft, on the disk a moment later. */
	set(conversation: string, draft: Draft): void {
		this.#drafts.set(conversation, draft);
		this.#saveSoon(conversation);
	}

	async load(id: string): Promise<Draft> {
		const found = this.#drafts.has(id) ? undefined : await this.read(fileOf(id, ".draft"));
		// Text typed meanwhile is newer.
		if (found !== undefined && !this.#drafts.has(id)) {
			const { id: _id, at: _at, ...draft } = found;
			this.#drafts.set(id, draft);
		}
		return this.of(id);
	}

	/** Reads a draft from a file, if possible, with its conversation and the time of its last change in ms since 1970. */
	async read(file: string) {
		const saved = await readStored(this.#storage.files, file, SAVED);
		if (saved === undefined) return undefined;
		const { id, at, text } = saved;
		const attachments = parsed(ATTACHMENTS, saved.attachments) ?? [];
		const edits = parsed(EDITS, saved.edits);
		return { id, at, text, attachments, ...(edits && { edits }) };
	}

	/** Releases the draft of a closed conversation; its file stays. */
	async close(id: string): Promise<void> {
		if (this.#timers.has(id)) this.#save(id);
		await this.#writes;
		// A failed write waits for the next try.
		if (!this.#timers.has(id)) this.#drafts.delete(id);
	}

	/** Writes all changes. */
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
		const file = fileOf(id, ".draft");
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

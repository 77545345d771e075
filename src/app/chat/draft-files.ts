import type { Disposable } from "#base/disposables.ts";
import type { TurnEdit } from "#protocol/context.ts";
import type { Attachment } from "./conversation.ts";
import type { DiskErrorReporter } from "./disk-error-reporter.ts";
import type { Draft } from "./drafts.ts";
import { SAVE_AFTER_MS } from "./journal.ts";
import { type ChatStorage, draftOf } from "./journal-files.ts";

/** Draft as it is kept, with its conversation and the time of its last change, in milliseconds since 1970. */
export interface SavedDraft extends Draft {
	readonly id: string;
	readonly at: number;
}

/** Delay before another try of a write that failed, in ms. */
const RETRY_AFTER_MS = 5_000;

const EMPTY: Draft = { text: "", attachments: [] };

/** Draft of each conversation: a small file, written a moment after each change. Of several windows the last write wins. */
export class DraftFiles implements Disposable {
	readonly #storage: ChatStorage;
	readonly #errors: DiskErrorReporter;
	readonly #drafts = new Map<string, Draft>();
	readonly #timers = new Map<string, Disposable>();
	#writes: Promise<void> = Promise.resolve();

	constructor(storage: ChatStorage, errors: DiskErrorReporter) {
		this.#storage = storage;
		this.#errors = errors;
	}

	/** Draft of a conversation that is open. */
	get(id: string): Draft {
		return this.#drafts.get(id) ?? EMPTY;
	}

	/** Reads the draft of a conversation that is opened. */
	async load(id: string): Promise<Draft> {
		if (!this.#drafts.has(id)) {
			const found = await this.read(draftOf(id));
			// Text that was typed meanwhile is newer.
			if (found !== undefined && !this.#drafts.has(id)) {
				const { id: _id, at: _at, ...draft } = found;
				this.#drafts.set(id, draft);
			}
		}
		return this.get(id);
	}

	/** Draft in a file; undefined if there is none that can be read. */
	async read(file: string): Promise<SavedDraft | undefined> {
		try {
			const value: unknown = JSON.parse(new TextDecoder().decode(await this.#storage.files.read(file)));
			if (typeof value !== "object" || value === null) return undefined;
			const { id, at, text, attachments, edits } = value as Record<string, unknown>;
			if (typeof id !== "string" || typeof text !== "string" || typeof at !== "number") return undefined;
			const draft = { id, at, text, attachments: Array.isArray(attachments) ? attachments.filter(isAttachment) : [] };
			return Array.isArray(edits) ? { ...draft, edits: edits.filter(isEdit) } : draft;
		} catch {
			return undefined;
		}
	}

	/** Keeps a draft, on the disk a moment later. */
	set(id: string, draft: Draft): void {
		this.#drafts.set(id, draft);
		this.#saveSoon(id);
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
	}

	#saveSoon(id: string, ms = SAVE_AFTER_MS): void {
		if (this.#timers.has(id)) return;
		this.#timers.set(
			id,
			this.#storage.clock.after(ms, () => this.#save(id)),
		);
	}

	#save(id: string): void {
		this.#timers.get(id)?.dispose();
		this.#timers.delete(id);
		const { files, clock, log, secretFilter } = this.#storage;
		const file = draftOf(id);
		const draft = this.get(id);
		const isEmpty = draft.text === "" && draft.attachments.length === 0 && draft.edits === undefined;
		const saved: SavedDraft = { id, at: clock.now(), ...draft };
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

function isEdit(value: unknown): value is TurnEdit {
	if (typeof value !== "object" || value === null) return false;
	const { message, text } = value as Record<string, unknown>;
	return typeof message === "string" && typeof text === "string";
}

function isAttachment(value: unknown): value is Attachment {
	if (typeof value !== "object" || value === null) return false;
	const { id, kind, label, text } = value as Record<string, unknown>;
	return [id, kind, label, text].every((part) => typeof part === "string");
}

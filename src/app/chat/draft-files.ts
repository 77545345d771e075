import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { TurnEdit } from "#protocol/context.ts";
import type { Log } from "../ports.ts";
import type { Attachment } from "./conversation.ts";
import type { Draft } from "./drafts.ts";
import { SAVE_AFTER_MS } from "./journal.ts";
import { draftOf, draftsOf, type JournalFiles, splitName } from "./journal-files.ts";
import type { Outage } from "./outage.ts";
import type { SecretFilter } from "./redacted-reply.ts";

/** A draft as it is kept: whose it is, and since when, in milliseconds since 1970. */
export interface SavedDraft extends Draft {
	readonly id: string;
	readonly at: number;
}

/** What drafts are kept with. */
export interface DraftParts {
	readonly files: Pick<JournalFiles, "names" | "read" | "write" | "remove">;
	readonly clock: Clock;
	readonly log: Log;
	/** Keeps secrets from the disk. */
	readonly secretFilter: Pick<SecretFilter, "ready" | "redact">;
	/** Hears what could be written and what could not. */
	readonly outage: Outage;
	/** Which run of the product this is. */
	readonly by: string;
	/** Whether the process of a run is still there. */
	readonly isRunning: (by: string) => boolean;
	/** Whether a run was one of this workspace. */
	readonly isEarlier: (by: string) => boolean;
}

/** What could not be written is tried again so much later. Milliseconds. */
const AGAIN_AFTER_MS = 5_000;

/** A process may have the number of one that has ended: what nobody has changed for so long is nobody's. Milliseconds. */
const OWNED_MS = 24 * 3600_000;

const EMPTY: Draft = { text: "", attachments: [] };

/**
 * The draft of each conversation: a small file of its own, a moment after each change. Every window has another file, so
 * that none takes from the disk what is typed in another; what a window that has ended left is taken over.
 */
export class DraftFiles implements Disposable {
	readonly #parts: DraftParts;
	readonly #drafts = new Map<string, Draft>();
	/** What was read from the files of other windows, and says nothing that is not in the draft here. */
	readonly #others = new Map<string, readonly FoundDraft[]>();
	readonly #timers = new Map<string, Disposable>();
	#writes: Promise<void> = Promise.resolve();

	constructor(parts: DraftParts) {
		this.#parts = parts;
	}

	/** The draft of a conversation that is open. */
	get(id: string): Draft {
		return this.#drafts.get(id) ?? EMPTY;
	}

	/** Reads the draft of a conversation that is opened. */
	async load(id: string): Promise<Draft> {
		if (!this.#drafts.has(id)) {
			const found = await this.#find(id);
			const own = draftOf(id, this.#parts.by);
			const [first] = found;
			// What is typed meanwhile is newer.
			if (!this.#drafts.has(id) && first !== undefined) {
				const { id: _id, at: _at, ...draft } = first.draft;
				const others = found.filter(({ file, draft }) => file !== own && holds(first.draft, draft));
				this.#others.set(id, others);
				this.#drafts.set(id, draft);
				if (others.some((each) => this.#isLeft(each))) this.#saveSoon(id);
			}
		}
		return this.get(id);
	}

	/** What a file on the disk has; undefined where it has nothing that can be read. */
	async read(file: string): Promise<SavedDraft | undefined> {
		try {
			const value: unknown = JSON.parse(new TextDecoder().decode(await this.#parts.files.read(file)));
			if (typeof value !== "object" || value === null) return undefined;
			const { id, at, text, attachments, edits } = value as Record<string, unknown>;
			if (typeof id !== "string" || typeof text !== "string" || typeof at !== "number") return undefined;
			const draft = { id, at, text, attachments: Array.isArray(attachments) ? attachments.filter(isAttachment) : [] };
			return Array.isArray(edits) ? { ...draft, edits: edits.filter(isEdit) } : draft;
		} catch {
			return undefined;
		}
	}

	set(id: string, draft: Draft): void {
		this.#drafts.set(id, draft);
		this.#saveSoon(id);
	}

	/** Forgets a conversation that is let go; its file stays. */
	async letGo(id: string): Promise<void> {
		if (this.#timers.has(id)) this.#save(id);
		await this.#writes;
		// What could not be written waits for the next try.
		if (this.#timers.has(id)) return;
		this.#drafts.delete(id);
		this.#others.delete(id);
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

	/**
	 * Every draft of a conversation: the own one, then what this workspace had before a reload, then what any window has
	 * left, then copies of what is being typed in another; of these the newest first.
	 */
	async #find(id: string): Promise<readonly FoundDraft[]> {
		const found: FoundDraft[] = [];
		for (const file of draftsOf(id, await this.#parts.files.names())) {
			const draft = await this.read(file);
			if (draft !== undefined) found.push({ file, draft });
		}
		const own = draftOf(id, this.#parts.by);
		const rank = (each: FoundDraft) => {
			if (each.file === own) return 0;
			return (this.#parts.isEarlier(byOf(each)) ? 1 : 3) + (this.#isLeft(each) ? 0 : 1);
		};
		return found.sort((a, b) => rank(a) - rank(b) || b.draft.at - a.draft.at);
	}

	/** Whether no window that is there keeps it. */
	#isLeft(found: FoundDraft): boolean {
		const by = byOf(found);
		return by === "" || !this.#parts.isRunning(by) || this.#parts.clock.now() - found.draft.at > OWNED_MS;
	}

	/** Removes what is taken over, unless its window has written more before it ended. */
	async #removeOthers(id: string): Promise<void> {
		const others = this.#others.get(id) ?? [];
		for (const each of others.filter((other) => this.#isLeft(other))) {
			if ((await this.read(each.file))?.at === each.draft.at) await this.#parts.files.remove(each.file);
			this.#others.set(id, this.#others.get(id)?.filter((other) => other !== each) ?? []);
		}
	}

	#saveSoon(id: string, ms = SAVE_AFTER_MS): void {
		if (this.#timers.has(id)) return;
		this.#timers.set(
			id,
			this.#parts.clock.after(ms, () => this.#save(id)),
		);
	}

	#save(id: string): void {
		this.#timers.get(id)?.dispose();
		this.#timers.delete(id);
		const { files, clock, log, secretFilter, outage, by } = this.#parts;
		const file = draftOf(id, by);
		const draft = this.get(id);
		const isEmpty = draft.text === "" && draft.attachments.length === 0 && draft.edits === undefined;
		const saved: SavedDraft = { id, at: clock.now(), ...draft };
		this.#writes = this.#writes
			.then(secretFilter.ready)
			.then(() => (isEmpty ? files.remove(file) : files.write(file, JSON.stringify(secretFilter.redact(saved)))))
			.then(() => outage.over(file))
			.then(() => this.#removeOthers(id))
			.catch((error: unknown) => {
				outage.failed(file, error);
				log.error(`A draft could not be saved: ${String(error)}`);
				this.#saveSoon(id, AGAIN_AFTER_MS);
			});
	}
}

/** A draft and where it was found. */
interface FoundDraft {
	readonly file: string;
	readonly draft: SavedDraft;
}

/** The run that keeps it; empty where nobody is named. */
function byOf({ file }: FoundDraft): string {
	return splitName(file)?.by ?? "";
}

/** Whether a draft has all that another one has. */
function holds({ text, attachments, edits = [] }: Draft, other: Draft): boolean {
	const ids = new Set(attachments.map(({ id }) => id));
	const typed = new Map(edits.map((each) => [each.message, each.text]));
	return (
		text.startsWith(other.text) &&
		other.attachments.every(({ id }) => ids.has(id)) &&
		(other.edits ?? []).every((each) => typed.get(each.message)?.startsWith(each.text) === true)
	);
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

import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import type { Log } from "../ports.ts";
import { decodeConversation, encodeConversation, type FoundConversation } from "./saved-conversation.ts";
import type { ChatSession } from "./session.ts";

/** Files of one folder, named without a path. A write replaces the whole file or nothing of it. */
export interface Files {
	/** The names of all files, the one changed last first. */
	list(): Promise<readonly string[]>;
	read(name: string): Promise<string>;
	write(name: string, text: string): Promise<void>;
}

/** What the archive works with. */
export interface ArchiveParts {
	readonly files: Files;
	readonly clock: Clock;
	readonly log: Log;
	/** Plain JSON without secrets in its texts, for the disk. */
	readonly redact: <T>(value: T) => T;
}

/** Text that arrives is on the disk at most this much later. Milliseconds. */
const SAVE_AFTER_MS = 250;

/** Conversations brought back at the start; older ones stay on the disk. */
const BROUGHT_BACK = 20;

/** Keeps conversations on the disk while they happen, so that a reload or a crash of the window loses nothing. */
export class ConversationArchive implements Disposable {
	readonly #parts: ArchiveParts;
	readonly #held = new DisposableStore();
	/** The write under way of each conversation: the next one waits for it. */
	readonly #writes = new Map<string, Promise<void>>();
	/** The conversations that have changed since they were last saved. */
	readonly #unsaved = new Map<string, { readonly session: ChatSession; readonly timer: Disposable }>();

	constructor(parts: ArchiveParts) {
		this.#parts = parts;
	}

	/** The conversations of earlier windows, newest first. A file that cannot be read costs only itself. */
	async restore(): Promise<FoundConversation[]> {
		const { files, log } = this.#parts;
		const found: FoundConversation[] = [];
		for (const name of (await files.list()).slice(0, BROUGHT_BACK)) {
			try {
				found.push(decodeConversation(await files.read(name)));
			} catch (error) {
				log.warn(`The saved conversation ${name} cannot be read and was left untouched: ${String(error)}`);
			}
		}
		return found;
	}

	/** Saves a conversation from now on, a moment after each change. */
	follow(session: ChatSession): void {
		this.#held.add(
			session.onDidChange((event) => {
				if (event.type === "reply" && event.entry.ended !== undefined) void this.save(session);
				else this.#saveSoon(session);
			}),
		);
	}

	/** Saves a conversation now. Never rejects: what cannot be saved is said in the log and stays on screen. */
	save(session: ChatSession): Promise<void> {
		this.#unsaved.get(session.id)?.timer.dispose();
		this.#unsaved.delete(session.id);
		const before = this.#writes.get(session.id) ?? Promise.resolve();
		const write = before.then(async () => {
			try {
				const saved = this.#parts.redact(encodeConversation(session.id, session.entries));
				await this.#parts.files.write(fileOf(session.id), JSON.stringify(saved));
			} catch (error) {
				this.#parts.log.error(`A conversation could not be saved: ${String(error)}`);
			}
		});
		this.#writes.set(session.id, write);
		return write;
	}

	/** Saves what has changed and resolves when all of it is on the disk: the window is about to end. */
	async flush(): Promise<void> {
		for (const { session } of [...this.#unsaved.values()]) void this.save(session);
		await Promise.all(this.#writes.values());
	}

	dispose(): void {
		this.#held.dispose();
		for (const { timer } of this.#unsaved.values()) timer.dispose();
		this.#unsaved.clear();
	}

	#saveSoon(session: ChatSession): void {
		if (this.#unsaved.has(session.id)) return;
		const timer = this.#parts.clock.after(SAVE_AFTER_MS, () => void this.save(session));
		this.#unsaved.set(session.id, { session, timer });
	}
}

/** A file name for an id that a caller may have chosen: nothing in it can lead elsewhere. */
function fileOf(id: string): string {
	return `${encodeURIComponent(id.toWellFormed()).replaceAll(".", "%2E").replaceAll("*", "%2A").slice(0, 200)}.json`;
}

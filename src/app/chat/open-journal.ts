import { sleep } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { NOTHING } from "./branches.ts";
import { recordsOf } from "./changes.ts";
import type { ConversationState } from "./conversation.ts";
import { journalChunk, journalLine, SAVE_AFTER_MS, STORED_VERSION } from "./journal.ts";
import { type ChatStorage, type DiskErrorReporter, fileOf } from "./journal-files.ts";
import { type FoundConversation, JournalReader } from "./journal-reader.ts";
import type { leasesOf } from "./leases.ts";
import type { ChatSession } from "./session.ts";

/** Shared dependencies of journals. */
export interface JournalStorage extends ChatStorage {
	readonly leases: ReturnType<typeof leasesOf>;
	readonly errors: DiskErrorReporter;
	/** Called with the id of a conversation that was deleted in another window. */
	readonly deleted: (id: string) => void;
}

/** Debounce of checks of a changing file, in ms. */
const LOOK_AFTER_MS = 100;

const RETRY_AFTER_MS = 2_000;

/** Time for another window to write the end of its reply after a takeover, in ms. */
const HANDOVER_MS = 5_000;

/** Journal of an open conversation: written while this window holds its lease, else followed. */
export class OpenJournal implements Disposable {
	readonly session: ChatSession;
	readonly file: string;
	readonly #storage: JournalStorage;
	readonly #subscription: Disposable;
	/** State of the conversation in its journal and {@link #lines}. */
	#written: ConversationState;
	/** True if the state may have changed since. */
	#hasChanged = false;
	/** Lines that are not written yet. */
	#lines = "";
	/** Number of bytes written or read. */
	#known: number;
	#reader = new JournalReader();
	#timer: Disposable | undefined;
	#looking: Disposable | undefined;
	#work: Promise<void> = Promise.resolve();
	#hasFailed = false;
	#isDisposed = false;

	/** `known` is the number of bytes read for the session. */
	constructor(session: ChatSession, known: number, storage: JournalStorage) {
		this.session = session;
		this.file = fileOf(session.id);
		this.#storage = storage;
		this.#known = known;
		this.#written = session.state;
		this.#subscription = session.onDidChange((event) => {
			this.#hasChanged = true;
			if (event.type === "block") this.#writeSoon(SAVE_AFTER_MS);
			else void this.write();
		});
	}

	/** Writes all changes, with `sync` safe from a power failure. Never rejects: a failed write is retried. */
	write({ sync = false }: { readonly sync?: boolean } = {}): Promise<void> {
		this.#timer?.dispose();
		this.#timer = undefined;
		return this.#inTurn(() => this.#put(sync));
	}

	/** Writes lines of others, and applies them to the session. */
	append(lines: string): Promise<void> {
		return this.#inTurn(async () => {
			await this.#put(false, lines);
			await this.#read();
		});
	}

	/** Checks for changes by other windows, and for their leases. */
	look(): Promise<void> {
		return this.#inTurn(async () => {
			const { leases, files } = this.#storage;
			const { session } = this;
			await leases.renew(session.id);
			const isElsewhere = !leases.holds(session.id) && (await leases.isElsewhere(session.id));
			const hasChanged = isElsewhere !== session.isReadOnly;
			if (isElsewhere) session.setReadOnly(true);
			const size = await files.size(this.file);
			if (size !== 0 && (size !== this.#known || hasChanged)) {
				// Written anew since it had been removed.
				if (size < this.#reader.read) this.#reader = new JournalReader();
				await this.#read({ isFollowed: isElsewhere });
			}
			// After the last changes of the other window were read, so that no message is sent without them.
			session.setReadOnly(isElsewhere);
		});
	}

	/** Debounced {@link look}. */
	lookSoon(): void {
		this.#looking ??= this.#storage.clock.after(LOOK_AFTER_MS, () => {
			this.#looking = undefined;
			void this.look();
		});
	}

	/** Takes over the lease of another window, once that has written the end of its reply. */
	takeOver(): Promise<void> {
		return this.#inTurn(async () => {
			const { clock, leases } = this.#storage;
			await leases.take(this.session.id, { over: true });
			const latest = clock.monotonic() + HANDOVER_MS;
			while ((await this.#read({ isFollowed: true })) && clock.monotonic() < latest) await sleep(clock, LOOK_AFTER_MS);
			this.session.setReadOnly(false);
			await this.#read();
		});
	}

	/** Writes all changes and releases the lease; false if the write failed. */
	async close(): Promise<boolean> {
		await this.write();
		if (this.#lines !== "") return false;
		this.dispose();
		return true;
	}

	dispose(): void {
		this.#isDisposed = true;
		this.#storage.errors.over(this.file);
		this.#subscription.dispose();
		this.#timer?.dispose();
		this.#looking?.dispose();
		this.#storage.leases.release(this.session.id).catch(() => undefined);
	}

	#writeSoon(ms: number): void {
		this.#timer ??= this.#storage.clock.after(ms, () => void this.write());
	}

	/** Runs tasks one after the other, so that the author of each byte is known. */
	#inTurn(work: () => Promise<void>): Promise<void> {
		const { secretFilter, log } = this.#storage;
		this.#work = this.#work
			.then(() => secretFilter.ready().then(work))
			.catch((error: unknown) => {
				if (!this.#hasFailed) log.error(`A conversation could not be saved: ${String(error)}`);
				this.#hasFailed = true;
				this.#writeSoon(RETRY_AFTER_MS);
			});
		return this.#work;
	}

	/** Adds the changes to the lines, except those of a closing window, which the person did not make. */
	#take(): void {
		if (this.#isDisposed) return;
		const { clock, secretFilter } = this.#storage;
		const before = this.#written;
		this.#markWritten();
		for (const record of recordsOf(before, this.#written, clock.now())) {
			const reply = record.t === "text" ? this.session.tree.get(record.reply) : undefined;
			// The text of a reply under way is redacted already, and has its offsets.
			const isPiece = reply?.role === "assistant" && reply.ended === undefined;
			this.#lines += journalLine(isPiece ? record : secretFilter.redact(record));
		}
	}

	#markWritten(): void {
		this.#hasChanged = false;
		this.#written = this.session.state;
	}

	/** Appends the changes. After a takeover, these are the end of the stopped reply. */
	async #put(sync: boolean, more = ""): Promise<void> {
		this.#take();
		this.#lines += more;
		const { files, clock, errors, leases } = this.#storage;
		const { id } = this.session;
		const left = this.#known > 0 ? await files.size(this.file) : 0;
		// Another window may have removed the file, or another program cut it: then all is written anew.
		const isCut = left < this.#known && !this.session.isReadOnly && (left > 0 || this.#lines !== "");
		if (isCut) {
			this.#known = 0;
			this.#reader = new JournalReader();
			this.#written = NOTHING;
			this.#lines = "";
			this.#take();
		}
		if (this.#lines === "") return;
		const begin = this.#known === 0 ? journalLine({ t: "begin", v: STORED_VERSION, id, at: clock.now() }) : "";
		const chunk = journalChunk(begin + this.#lines);
		const put = isCut ? this.#replace(chunk) : files.append(this.file, chunk, { sync });
		const { wrote, size } = await put.catch((error: unknown) => {
			errors.failed(this.file, error);
			throw error;
		});
		this.#lines = "";
		this.#known += wrote;
		this.#hasFailed = false;
		errors.over(this.file);
		if (!leases.holds(id) && !this.session.isReadOnly) this.session.setReadOnly(!(await leases.take(id)));
		if (size !== this.#known) this.lookSoon();
	}

	async #replace(content: string) {
		await this.#storage.files.write(this.file, content);
		const { length } = new TextEncoder().encode(content);
		return { wrote: length, size: length };
	}

	/** Updates an idle session from the disk; true if a reply has no end yet. */
	async #read({ isFollowed = this.session.isReadOnly }: { readonly isFollowed?: boolean } = {}): Promise<boolean> {
		const { files, clock } = this.#storage;
		let found: FoundConversation;
		do {
			if (this.session.busy) return false;
			await this.#put(false);
			await this.#reader.takeFrom(files, this.file);
			found = this.#reader.found(isFollowed ? clock : undefined);
		} while (this.#hasChanged || this.session.busy);
		this.#known = this.#reader.read;
		this.session.follow(found);
		this.#markWritten();
		if (found.gone !== undefined) this.#storage.deleted(this.session.id);
		return found.isUnderWay;
	}
}

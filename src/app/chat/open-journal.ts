import { sleep } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { NOTHING } from "./branches.ts";
import { recordsOf } from "./changes.ts";
import type { ConversationState } from "./conversation.ts";
import { journalChunk, journalLine, SAVE_AFTER_MS, STORED_VERSION } from "./journal.ts";
import { type ChatStorage, type DiskErrorReporter, journalOf } from "./journal-files.ts";
import { type FoundConversation, JournalReader } from "./journal-reader.ts";
import type { Leases } from "./leases.ts";
import type { ChatSession } from "./session.ts";

/** Storage, and what all journals of a window share. */
export interface JournalStorage extends ChatStorage {
	readonly leases: Leases;
	readonly errors: DiskErrorReporter;
	/** Hears the id of a conversation that was deleted in another window. */
	readonly deleted: (id: string) => void;
}

/** Debounce of looks at a file that changes many times a second, in ms. */
const LOOK_AFTER_MS = 100;

/** Delay before another try of a write that failed, in ms. */
const RETRY_AFTER_MS = 2_000;

/** Time that the window whose lease is taken over has to write the end of its reply, in ms. */
const HANDOVER_MS = 5_000;

/** Journal of a conversation that is open here: written while this window holds its lease, else followed. */
export class OpenJournal implements Disposable {
	readonly session: ChatSession;
	readonly file: string;
	readonly #storage: JournalStorage;
	readonly #subscription: Disposable;
	/** Conversation as far as its journal records it, together with {@link #lines}. */
	#written: ConversationState;
	/** True if it may have changed since. */
	#hasChanged = false;
	/** Lines that could not be written yet. */
	#lines = "";
	/** Bytes that are known here. */
	#known: number;
	#reader = new JournalReader();
	#timer: Disposable | undefined;
	#looking: Disposable | undefined;
	#work: Promise<void> = Promise.resolve();
	#hasFailed = false;
	#isDisposed = false;

	/** `known` is the number of bytes that were read for the session. */
	constructor(session: ChatSession, known: number, storage: JournalStorage) {
		this.session = session;
		this.file = journalOf(session.id);
		this.#storage = storage;
		this.#known = known;
		this.#written = session.state;
		this.#subscription = session.onDidChange((event) => {
			this.#hasChanged = true;
			if (event.type === "block") this.#writeSoon(SAVE_AFTER_MS);
			else void this.write();
		});
	}

	/** Writes what has happened so far, with `sync` safe from a power failure. Never rejects: it is tried again. */
	write({ sync = false }: { readonly sync?: boolean } = {}): Promise<void> {
		this.#timer?.dispose();
		this.#timer = undefined;
		return this.#inTurn(() => this.#put(sync));
	}

	/** Writes lines that do not come from the session, and applies them to it. */
	append(lines: string): Promise<void> {
		return this.#inTurn(async () => {
			await this.#put(false, lines);
			await this.#read();
		});
	}

	/** Looks for what other windows have written, and whether one of them holds the lease. */
	look(): Promise<void> {
		return this.#inTurn(() => this.#look());
	}

	/** Debounced {@link look}. */
	lookSoon(): void {
		this.#looking ??= this.#storage.clock.after(LOOK_AFTER_MS, () => {
			this.#looking = undefined;
			void this.look();
		});
	}

	/** Takes the lease over from another window, once that has written the end of its reply. */
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

	/** Writes all and gives the lease up; says whether it could be written. */
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

	/** Runs one task after the other, so that it is known which bytes are whose. */
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

	/** Takes what has changed since the last time into the lines. What ends with the window was not stopped by a person. */
	#take(): void {
		if (this.#isDisposed) return;
		const { clock, secretFilter } = this.#storage;
		const before = this.#written;
		this.#markWritten();
		for (const record of recordsOf(before, this.#written, clock.now())) {
			const reply = record.t === "text" ? this.session.tree.get(record.reply) : undefined;
			// Of a reply under way each piece stands at its place in what was redacted as it came.
			const isPiece = reply?.role === "assistant" && reply.ended === undefined;
			this.#lines += journalLine(isPiece ? record : secretFilter.redact(record));
		}
	}

	/** Marks the present state of the session as written. */
	#markWritten(): void {
		this.#hasChanged = false;
		this.#written = this.session.state;
	}

	/** Appends what has happened. Of a conversation that was taken over, that is the end of the reply that was stopped. */
	async #put(sync: boolean, more = ""): Promise<void> {
		this.#take();
		this.#lines += more;
		const { files, clock, errors, leases } = this.#storage;
		const { id } = this.session;
		const left = this.#known > 0 ? await files.size(this.file) : 0;
		// Another window may have removed it for good, and another program cut it; what is open here is kept whole.
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

	async #look(): Promise<void> {
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
		// Not before the other window's last words were read: a message would be sent without them.
		session.setReadOnly(isElsewhere);
	}

	/** Brings the session up to date with the disk, unless it is at work; true if a reply has no end yet. */
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

import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Log } from "../ports.ts";
import { Fold } from "./fold.ts";
import { journalChunk, journalLine, SAVE_AFTER_MS } from "./journal.ts";
import { isMissing, type JournalFiles, journalOf } from "./journal-files.ts";
import type { Outage } from "./outage.ts";
import { Recorder } from "./recorder.ts";
import type { SecretFilter } from "./redacted-reply.ts";
import type { Runs } from "./runs.ts";
import type { ChatSession } from "./session.ts";

/** What the journals of a window are kept with. */
export interface JournalParts {
	readonly files: JournalFiles;
	readonly clock: Clock;
	readonly log: Log;
	readonly secretFilter: SecretFilter;
	readonly runs: Runs;
	readonly outage: Outage;
	/** Hears the id of a conversation that was deleted in another window. */
	readonly deleted: (id: string) => void;
}

/** What was found on the disk when a conversation was opened. */
export interface Opened {
	/** Bytes of the journal; 0 before there is one. */
	readonly known: number;
	/** The other windows that are asking for a reply or are to send what is queued. */
	readonly running: readonly string[];
}

/** What changes many times a second is looked at so often. Milliseconds. */
const LOOK_AFTER_MS = 100;

/** What could not be written is tried again so much later. Milliseconds. */
const AGAIN_AFTER_MS = 2_000;

/** The journal of a conversation that is open here, to which other windows may write as well. */
export class OpenJournal implements Disposable {
	readonly session: ChatSession;
	readonly file: string;
	readonly #parts: JournalParts;
	readonly #recorder: Recorder;
	readonly #subscription: Disposable;
	/** Lines that could not be written yet. */
	#lines = "";
	/** Bytes that are known of here. */
	#known: number;
	/** The journal as far as it was read again, since another window writes to it too. */
	#fold: Fold | undefined;
	#running: readonly string[];
	#timer: Disposable | undefined;
	#looking: Disposable | undefined;
	#work: Promise<void> = Promise.resolve();
	#hasFailed = false;

	constructor(session: ChatSession, { known, running }: Opened, parts: JournalParts) {
		this.session = session;
		this.file = journalOf(session.id);
		this.#parts = parts;
		this.#known = known;
		this.#running = running;
		const { secretFilter, runs, clock } = parts;
		this.#recorder = new Recorder(session, { secretFilter, by: runs.own, now: () => clock.now() });
		this.#subscription = session.onDidChange((event) => {
			this.#recorder.hear(event);
			if (!this.#recorder.hasMore) return;
			if (event.type === "block") this.#writeSoon(SAVE_AFTER_MS);
			else void this.write();
		});
	}

	/** Whether all that was to be written is on the disk. */
	get isWhole(): boolean {
		return this.#lines === "";
	}

	/** Writes what has happened so far, with `sync` safe from a power failure. Never rejects: it is tried again. */
	write({ sync = false }: { readonly sync?: boolean } = {}): Promise<void> {
		this.#timer?.dispose();
		this.#timer = undefined;
		return this.#inTurn(async () => {
			this.#lines += this.#recorder.take();
			if (this.#lines !== "") await this.#put(sync);
		});
	}

	/** Writes lines that do not come from the session, and tells it of them. */
	async append(lines: string): Promise<void> {
		await this.write();
		await this.#inTurn(async () => {
			this.#lines += lines;
			await this.#put(false);
			// What it says is not known to the session yet.
			await this.#look(true);
		});
	}

	/** Looks for what other windows have written. */
	look(): void {
		void this.#inTurn(() => this.#look());
	}

	/** The same in a moment, however often it is called until then. */
	lookSoon(): void {
		this.#looking ??= this.#parts.clock.after(LOOK_AFTER_MS, () => {
			this.#looking = undefined;
			this.look();
		});
	}

	dispose(): void {
		this.#parts.outage.over(this.file);
		this.#subscription.dispose();
		this.#timer?.dispose();
		this.#looking?.dispose();
	}

	#writeSoon(ms: number): void {
		this.#timer ??= this.#parts.clock.after(ms, () => void this.write());
	}

	/** One thing after the other, so that it is known which of its bytes are whose. */
	#inTurn(work: () => Promise<void>): Promise<void> {
		const { secretFilter, log } = this.#parts;
		this.#work = this.#work
			.then(() => secretFilter.ready().then(work))
			.catch((error: unknown) => {
				if (!this.#hasFailed) log.error(`A conversation could not be saved: ${String(error)}`);
				this.#hasFailed = true;
				this.#writeSoon(AGAIN_AFTER_MS);
			});
		return this.#work;
	}

	async #put(sync: boolean): Promise<void> {
		const { files, clock, outage } = this.#parts;
		const append = async (lines: string) => {
			try {
				return await files.append(this.file, journalChunk(lines), { create: this.#known === 0, sync });
			} catch (error) {
				if (!isMissing(error)) outage.failed(this.file, error);
				throw error;
			}
		};
		const { id } = this.session;
		const begin = this.#known === 0 ? journalLine({ t: "begin", v: 2, id, at: clock.now() }) : "";
		const { wrote, size } = await append(begin + this.#lines).catch((error: unknown) => {
			if (!isMissing(error)) throw error;
			// Another window has removed it for good; what is open here is kept whole.
			this.#known = 0;
			this.#fold = undefined;
			this.#lines = this.#recorder.whole();
			return append(this.#lines);
		});
		this.#lines = "";
		this.#known += wrote;
		this.#hasFailed = false;
		outage.over(this.file);
		if (size !== this.#known) this.lookSoon();
	}

	/** Reads what other windows have written, if anything, and tells the session. */
	async #look(isBehind = false): Promise<void> {
		const { files, runs } = this.#parts;
		const hasStopped = this.#running.some((by) => !runs.isRunning(by));
		const size = await files.size(this.file);
		if (size === 0 || (size === this.#known && !hasStopped && !isBehind)) return;
		// Written anew since it had been removed.
		if (size < (this.#fold?.read ?? 0)) this.#fold = undefined;
		let journal: Fold;
		for (;;) {
			this.#fold ??= new Fold();
			journal = await this.#fold.takeFrom(files, this.file);
			this.#known = journal.read;
			// What has happened here meanwhile belongs behind it, and must not be undone by it.
			this.#lines += this.#recorder.takeRecords();
			if (this.#lines === "") break;
			await this.#put(false);
		}
		const found = runs.withQueue(journal.found((reply) => runs.since(reply)));
		this.#running = runs.othersIn(found);
		this.session.merge(found);
		if (found.gone !== undefined) this.#parts.deleted(this.session.id);
	}
}

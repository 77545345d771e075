import { mkdirSync, watch } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type FileFacts, isMissing, type JournalFiles } from "#app/chat/journal-files.ts";
import { type Disposable, toDisposable } from "#base/disposables.ts";

const BESIDE = ".new";

const PIECE_BYTES = 128 * 1024;

/** Maximum number of concurrent `stat` calls: all at once would block for seconds. */
const STAT_AT_ONCE = 256;

/** Files of conversations or of the ledger on disk. The editor's file system cannot append or rename atomically, and ends early. */
export class ConversationFiles implements JournalFiles {
	readonly #folder: string;

	/** `storage` is the extension's storage folder. */
	constructor(storage: string, folder: "conversations" | "usage" = "conversations") {
		this.#folder = join(storage, folder);
	}

	async list(): Promise<readonly FileFacts[]> {
		const all = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
			if (isMissing(error)) return [];
			throw new Error(`The chat history cannot be read (${error.code}). Check its folder, then retry: ${this.#folder}`);
		});
		const names = all.filter((name) => !name.endsWith(BESIDE));
		const facts: FileFacts[] = [];
		for (let from = 0; from < names.length; from += STAT_AT_ONCE) {
			const some = await Promise.all(names.slice(from, from + STAT_AT_ONCE).map((name) => this.#facts(name)));
			for (const each of some) if (each !== undefined) facts.push(each);
		}
		return facts;
	}

	async size(name: string): Promise<number> {
		return (await this.#facts(name))?.size ?? 0;
	}

	async read(name: string): Promise<Uint8Array> {
		return readFile(this.#path(name));
	}

	async *pieces(name: string, from = 0): AsyncIterable<Uint8Array> {
		const file = await open(this.#path(name)).catch((error: unknown) => {
			if (!isMissing(error)) throw error;
		});
		if (file === undefined) return;
		const bytes = Buffer.allocUnsafe(PIECE_BYTES);
		const read = async (at: number) => (await file.read(bytes, 0, PIECE_BYTES, at)).bytesRead;
		try {
			for (let at = from, size = PIECE_BYTES; size === PIECE_BYTES; at += size) {
				size = await read(at);
				if (size > 0) yield bytes.subarray(0, size);
			}
		} finally {
			await file.close();
		}
	}

	/** Appends in one write, so that concurrent writes of other windows never mix with it. */
	async append(name: string, text: string, { sync = false }: { readonly sync?: boolean } = {}) {
		await mkdir(this.#folder, { recursive: true });
		const file = await open(this.#path(name), "a", 0o600);
		try {
			const bytes = Buffer.from(text);
			const { bytesWritten } = await file.write(bytes);
			// The system reports it only at the next write.
			if (bytesWritten < bytes.length) throw Object.assign(new Error("Not all was written"), { code: "ENOSPC" });
			if (sync) await file.datasync();
			return { wrote: bytesWritten, size: (await file.stat()).size };
		} finally {
			await file.close();
		}
	}

	async write(name: string, content: string | Uint8Array): Promise<void> {
		// Each window needs a temporary file of its own.
		const beside = this.#path(`${name}.${process.pid}${BESIDE}`);
		await mkdir(this.#folder, { recursive: true });
		await writeFile(beside, content, { mode: 0o600, flush: typeof content !== "string" });
		await replace(beside, this.#path(name));
	}

	async remove(name: string): Promise<void> {
		await rm(this.#path(name), { force: true });
	}

	watch(changed: (name: string) => void): Disposable {
		const hear = (_: string, name: string | null) => {
			if (name !== null && !name.endsWith(BESIDE)) changed(name);
		};
		try {
			mkdirSync(this.#folder, { recursive: true });
			const watcher = watch(this.#folder, { persistent: false }, hear);
			watcher.on("error", () => watcher.close());
			return toDisposable(() => watcher.close());
		} catch {
			// Without events the caller still polls the files.
			return toDisposable(() => undefined);
		}
	}

	isRunning(pid: number): boolean {
		try {
			return process.kill(pid, 0);
		} catch (error) {
			// EPERM: the process runs, but belongs to another user.
			return error instanceof Error && "code" in error && error.code === "EPERM";
		}
	}

	async #facts(name: string): Promise<FileFacts | undefined> {
		const found = await stat(this.#path(name)).catch(() => undefined);
		return found?.isFile() ? { name, size: found.size, at: found.mtimeMs } : undefined;
	}

	#path(name: string): string {
		return join(this.#folder, name);
	}
}

/** Renames a file over another one, retried for a second: Windows refuses while a window or a virus scanner reads that. */
async function replace(from: string, to: string, retries = 20): Promise<void> {
	await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
		if (retries === 0 || !["EPERM", "EACCES", "EBUSY"].includes(error.code ?? "")) throw error;
		await delay(50);
		await replace(from, to, retries - 1);
	});
}

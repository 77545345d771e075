import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "#app/chat/archive.ts";

const BESIDE = ".new";

/**
 * The files of saved conversations, in a folder on the extension host's disk. Not through the editor's file system: its
 * rename deletes the file in the way before it moves the other, and it is gone when the window ends.
 */
export class ConversationFiles implements Files {
	readonly #folder: string;

	/** `storage` is the path of the folder that the editor gives the extension for this workspace. */
	constructor(storage: string) {
		this.#folder = join(storage, "conversations");
	}

	async list(): Promise<readonly string[]> {
		// A folder that is not there yet holds nothing.
		const names = await readdir(this.#folder).catch(() => []);
		await Promise.all(names.filter((name) => name.endsWith(`.json${BESIDE}`)).map((name) => this.#finish(name)));
		const files = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith(".json"));
		const dated = await Promise.all(files.map(async (name) => ({ name, at: (await stat(this.#path(name))).mtimeMs })));
		return dated.sort((a, b) => b.at - a.at).map(({ name }) => name);
	}

	async read(name: string): Promise<string> {
		return readFile(this.#path(name), "utf8");
	}

	async write(name: string, text: string): Promise<void> {
		await mkdir(this.#folder, { recursive: true });
		await writeFile(this.#path(name + BESIDE), text);
		await rename(this.#path(name + BESIDE), this.#path(name));
	}

	/** A write that was cut off: whole, it is the newest there is; torn, it is nothing. */
	async #finish(beside: string): Promise<void> {
		const path = this.#path(beside);
		try {
			JSON.parse(await readFile(path, "utf8"));
			await rename(path, path.slice(0, -BESIDE.length));
		} catch {
			await rm(path, { force: true });
		}
	}

	#path(name: string): string {
		return join(this.#folder, name);
	}
}

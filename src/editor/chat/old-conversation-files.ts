import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OldFiles } from "#app/chat/take-over.ts";

/** The files of the first format: one for each conversation, and beside it what a write that was cut off left. */
export class OldConversationFiles implements OldFiles {
	readonly #folder: string;

	/** `storage` is the path of the folder that the editor gives the extension. */
	constructor(storage: string) {
		this.#folder = join(storage, "conversations");
	}

	async list(): Promise<readonly { readonly name: string; readonly at: number }[]> {
		const names = (await readdir(this.#folder).catch(() => [])).filter((name) => /\.json(?:\.new)?$/.test(name));
		// Another window may be at the same.
		const found = await Promise.all(names.map((name) => stat(this.#path(name)).catch(() => undefined)));
		const dated = names.flatMap((name, n) => ({ name, at: found[n]?.mtimeMs ?? 0 }));
		return dated.filter(({ at }) => at > 0).sort((a, b) => a.at - b.at);
	}

	async read(name: string): Promise<string> {
		return readFile(this.#path(name), "utf8");
	}

	async remove(name: string): Promise<void> {
		await rm(this.#path(name), { force: true });
	}

	#path(name: string): string {
		return join(this.#folder, name);
	}
}

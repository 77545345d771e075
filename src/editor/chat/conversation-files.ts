import * as vscode from "vscode";
import type { Files } from "#app/chat/archive.ts";

/** The files of saved conversations, in the storage that the editor gives the extension for this workspace. */
export class ConversationFiles implements Files {
	readonly #folder: vscode.Uri;

	constructor(storage: vscode.Uri) {
		this.#folder = vscode.Uri.joinPath(storage, "conversations");
	}

	async list(): Promise<readonly string[]> {
		const { fs } = vscode.workspace;
		// A folder that is not there yet holds nothing.
		const entries = await fs.readDirectory(this.#folder).then(undefined, () => []);
		const files = entries.filter(([name, type]) => type === vscode.FileType.File && name.endsWith(".json"));
		const dated = await Promise.all(
			files.map(async ([name]) => ({ name, at: (await fs.stat(this.#uri(name))).mtime })),
		);
		return dated.sort((a, b) => b.at - a.at).map(({ name }) => name);
	}

	async read(name: string): Promise<string> {
		return new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#uri(name)));
	}

	async write(name: string, text: string): Promise<void> {
		const { fs } = vscode.workspace;
		const beside = this.#uri(`${name}.new`);
		await fs.createDirectory(this.#folder);
		await fs.writeFile(beside, new TextEncoder().encode(text));
		await fs.rename(beside, this.#uri(name), { overwrite: true });
	}

	#uri(name: string): vscode.Uri {
		return vscode.Uri.joinPath(this.#folder, name);
	}
}

import * as vscode from "vscode";
import { PHOTO_SCHEME } from "#app/contributions.ts";

/** Photos that are kept; the oldest make room. */
const MOST = 20;

/** Photos that were opened, as files of the editor. In memory only: a closed window leaves none behind. */
export class PhotoFiles {
	readonly #kept = new Map<string, Uint8Array>();
	#count = 0;

	/** Keeps a photo, and gives its address, which ends in what a file may have of its label. */
	keep(label: string, suffix: string, bytes: Uint8Array): vscode.Uri {
		this.#count += 1;
		const name = label.replaceAll(/[^\p{L}\p{N} .-]+/gu, "_").slice(0, 60) || "Image";
		const uri = vscode.Uri.from({ scheme: PHOTO_SCHEME, path: `/${this.#count}/${name}.${suffix}` });
		this.#kept.set(uri.path, bytes);
		const [oldest = ""] = this.#kept.keys();
		if (this.#kept.size > MOST) this.#kept.delete(oldest);
		return uri;
	}

	/** Facts of a photo as a file. Throws FileNotFound. */
	stat(uri: vscode.Uri): vscode.FileStat {
		const { length: size } = this.readFile(uri);
		return { type: vscode.FileType.File, ctime: 0, mtime: 0, size, permissions: vscode.FilePermission.Readonly };
	}

	/** The bytes of a photo. Throws FileNotFound: one of a window before is not fetched again unasked. */
	readFile(uri: vscode.Uri): Uint8Array {
		const found = this.#kept.get(uri.path);
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return found;
	}
}

import * as vscode from "vscode";
import { PHOTO_SCHEME } from "#app/contributions.ts";

/** Photos that are kept; the oldest make room. */
const MOST = 20;

interface Kept {
	readonly bytes: Uint8Array;
	/** Milliseconds since the epoch. */
	readonly at: number;
}

/** Photos that somebody has asked to see, as files of the editor. In memory only: a closed window leaves none behind. */
export class PhotoFiles {
	readonly #kept = new Map<string, Kept>();
	#count = 0;

	/** Keeps a photo, and gives its address. */
	keep(name: string, bytes: Uint8Array): vscode.Uri {
		this.#count += 1;
		const uri = vscode.Uri.from({ scheme: PHOTO_SCHEME, path: `/${this.#count}/${name}` });
		this.#kept.set(uri.path, { bytes, at: Date.now() });
		for (const oldest of this.#kept.keys()) {
			if (this.#kept.size <= MOST) break;
			this.#kept.delete(oldest);
		}
		return uri;
	}

	/** Facts of a photo as a file. Throws FileNotFound. */
	stat(uri: vscode.Uri): vscode.FileStat {
		const { bytes, at } = this.#find(uri);
		const permissions = vscode.FilePermission.Readonly;
		return { type: vscode.FileType.File, ctime: at, mtime: at, size: bytes.length, permissions };
	}

	/** The bytes of a photo. Throws FileNotFound: one of a window before is not fetched again unasked. */
	readFile(uri: vscode.Uri): Uint8Array {
		return this.#find(uri).bytes;
	}

	#find(uri: vscode.Uri): Kept {
		const found = this.#kept.get(uri.path);
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return found;
	}
}

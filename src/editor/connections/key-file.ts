import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import * as vscode from "vscode";
import { LIMITS } from "#base/limits.ts";
import { withoutIcons } from "../plain.ts";
import type { TextFile } from "../prompts.ts";

/**
 * The button by which the private key of an app is read from a file into the box that asks for it. Its `read` rejects
 * with a sentence that says why a file was not taken.
 */
export const KEY_FILE: TextFile = { tooltip: "Pick the .pem File", read: pickKeyFile };

async function pickKeyFile(): Promise<string | undefined> {
	const [file] =
		(await vscode.window.showOpenDialog({
			title: "Private Key of the App",
			openLabel: "Use This Key",
			filters: { "Private keys": ["pem", "key"], "All files": ["*"] },
		})) ?? [];
	if (file === undefined) return undefined;
	const name = withoutIcons(posix.basename(file.path));
	const { size } = await vscode.workspace.fs.stat(file);
	if (size > LIMITS.pemCharacters) {
		const kilobytes = Math.ceil(size / 1024);
		throw new Error(
			`${name} was not taken: it has ${kilobytes} KB, and a private key at most ${LIMITS.pemCharacters / 1024}.`,
		);
	}
	const bytes = file.scheme === "file" ? await readFile(file.fsPath) : await vscode.workspace.fs.readFile(file);
	const text = new TextDecoder().decode(bytes);
	if (text.trim() === "") throw new Error(`${name} was not taken: it is empty.`);
	return text;
}

import * as vscode from "vscode";
import { ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, notify } from "../kit/prompts.ts";
import { describeRefusal } from "../words/show-error.ts";

/**
 * Value that `read` makes of a list which the person chooses, and the name of its document; undefined after a mistake was
 * shown at its line. `noun` is the plural of its records.
 */
export async function readListFile<T>(title: string, noun: string, read: (text: string) => T) {
	const document = await chooseDocument(title, noun);
	if (document === undefined) return undefined;
	const text = document.getText();
	try {
		if (text.length > LIMITS.listCharacters) {
			throw invalid("petstore", noun, `are more than ${LIMITS.listCharacters / 1024 / 1024} MB: split the file`);
		}
		// The editor replaces what it cannot decode with this character.
		const at = text.indexOf("\uFFFD");
		if (at === -1) return { name: nameOf(document), value: read(text) };
		const line = text.slice(0, at).split("\n").length;
		throw invalid("petstore", "", "cannot be read: save the file as UTF-8, or reopen it with its encoding", line);
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		const at = document.lineAt(Math.min(error.line ?? 1, document.lineCount) - 1).range;
		await vscode.window.showTextDocument(document, { selection: at });
		void notify("Error", `Nothing was sent. ${describeRefusal(error, "")}`);
		return undefined;
	}
}

async function chooseDocument(title: string, noun: string): Promise<vscode.TextDocument | undefined> {
	const open = vscode.window.activeTextEditor?.document;
	// Without an extension for it CSV is plain text.
	const isText = /^(?:csv|tsv|jsonc?|plaintext)$/.test(open?.languageId ?? "") || open?.uri.scheme === "untitled";
	const pickFile = async () => {
		const filters = { [`Lists of ${noun}`]: ["csv", "tsv", "json", "txt"] };
		const [uri] = (await vscode.window.showOpenDialog({ title, openLabel: "Choose", filters })) ?? [];
		return uri === undefined ? undefined : vscode.workspace.openTextDocument(uri);
	};
	if (open === undefined || !isText) return pickFile();
	const placeholder = `A list of ${noun}: JSON, or CSV with a header row`;
	const choose = await askChoice({ title, placeholder }, [
		{ label: "$(file) The Open Editor", description: withoutIcons(nameOf(open)), value: async () => open },
		{ label: "$(folder-opened) Choose a File...", value: pickFile },
	]);
	return typeof choose === "function" ? choose() : undefined;
}

function nameOf({ uri }: vscode.TextDocument): string {
	return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

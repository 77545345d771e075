import * as vscode from "vscode";
import { guessFormat, type ListFormat, type NamedUser, readUserList } from "#app/petstore/user-list.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { askChoice } from "../prompts.ts";
import { describeRefusal } from "../report.ts";

/** A list of users that a person has chosen. */
export interface UserListSource {
	/** The name of the document. */
	readonly name: string;
	readonly users: readonly NamedUser[];
}

/** What a person may choose: a document that is open, or a file. */
type Chosen = { readonly document: vscode.TextDocument } | "file";

/**
 * Asks for a document with users and reads it. Where it has a mistake, the document is shown at the line, and the result
 * is undefined, as when the person leaves.
 */
export async function chooseUserList(title: string): Promise<UserListSource | undefined> {
	const open = vscode.window.activeTextEditor?.document;
	const chosen: Chosen | undefined | symbol =
		open === undefined || !mayHoldUsers(open)
			? "file"
			: await askChoice<Chosen>({ title, placeholder: "A list of users as JSON, or CSV with names of fields first" }, [
					{ label: "$(file) The Open Editor", description: withoutIcons(nameOf(open.uri)), value: { document: open } },
					{ label: "$(folder-opened) Choose a File...", value: "file" },
				]);
	if (chosen === undefined || typeof chosen === "symbol") return undefined;
	const document = chosen === "file" ? await pickFile(title) : chosen.document;
	if (document === undefined) return undefined;
	const name = nameOf(document.uri);
	try {
		refuseUnreadable(document.getText());
		return { name, users: readUserList(document.getText(), formatOf(document)) };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		await showMistake(document, error);
		return undefined;
	}
}

/** The editor puts a mark in the place of what it cannot read as the encoding it takes the file for. */
function refuseUnreadable(text: string): void {
	const at = text.indexOf("\uFFFD");
	if (at === -1) return;
	const line = text.slice(0, at).split("\n").length;
	throw invalid("petstore", `line ${line}`, "cannot be read: save the file as UTF-8, or reopen it with its encoding");
}

async function pickFile(title: string): Promise<vscode.TextDocument | undefined> {
	const filters = { "Lists of users": ["csv", "tsv", "json", "txt"] };
	const [uri] = (await vscode.window.showOpenDialog({ title, openLabel: "Create Users", filters })) ?? [];
	return uri === undefined ? undefined : vscode.workspace.openTextDocument(uri);
}

function mayHoldUsers({ languageId, uri }: vscode.TextDocument): boolean {
	// Without an extension for it CSV is plain text.
	return /^(?:csv|tsv|jsonc?|plaintext)$/.test(languageId) || uri.scheme === "untitled";
}

function formatOf(document: vscode.TextDocument): ListFormat {
	const { languageId, uri } = document;
	if (/\.(?:csv|tsv)$/i.test(uri.path) || /^(?:csv|tsv)$/.test(languageId)) return "csv";
	return /^jsonc?$/.test(languageId) ? "json" : guessFormat(document.getText());
}

function nameOf(uri: vscode.Uri): string {
	return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

async function showMistake(document: vscode.TextDocument, error: ClientError): Promise<void> {
	const line = Number(/^line (\d+)/.exec(error.field ?? "")?.[1] ?? 1) - 1;
	const at = document.lineAt(Math.max(0, Math.min(line, document.lineCount - 1))).range;
	await vscode.window.showTextDocument(document, { selection: at });
	void vscode.window.showErrorMessage(withoutLinks(`No user was created. ${describeRefusal(error, "")}`));
}

import * as vscode from "vscode";
import { TEXT_SCHEME } from "#app/contributions.ts";
import { nothing } from "../from-editor.ts";
import { lastActiveEditor } from "../last-active-editor.ts";
import type { ShownTexts } from "../shown-texts.ts";

/** Shows a diff of the last active file with code in place of its selection or, without one, of all its text. */
export async function compareWithEditor(code: string, texts: ShownTexts): Promise<void> {
	const { document, selection } = await comparedEditor();
	const whole = new vscode.Range(0, 0, document.lineCount, 0);
	const range = selection.isEmpty ? whole : selection;
	// Keeps the line end of the replaced text.
	const end = document.getText(range).endsWith("\n") ? "\n" : "";
	const before = document.getText(new vscode.Range(whole.start, range.start));
	const after = document.getText(new vscode.Range(range.end, whole.end));
	const name = document.uri.path.split("/").at(-1) ?? "";
	const { path } = texts.keep(name, before + code.replace(/\r?\n$/, "") + end + after);
	const proposed = vscode.Uri.from({ scheme: TEXT_SCHEME, path, query: String(document.version) });
	await vscode.commands.executeCommand("vscode.diff", document.uri, proposed, `${name}: Editor ↔ Chat`);
}

/** Applies the diff in front as one edit of the file, and closes it. False if none is in front. */
export async function applyComparison(): Promise<boolean> {
	const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
	const input = comparisonIn(tab);
	if (tab === undefined || input === undefined) return false;
	const { original, modified } = input;
	const document = await vscode.workspace.openTextDocument(original);
	if (String(document.version) !== modified.query) {
		throw nothing("editor", "The file has changed since. Compare again.");
	}
	const edit = new vscode.WorkspaceEdit();
	const proposed = await vscode.workspace.openTextDocument(modified);
	edit.replace(original, new vscode.Range(0, 0, document.lineCount, 0), proposed.getText());
	if (!(await vscode.workspace.applyEdit(edit))) {
		const sentence = "The file could not be changed. Make sure that it can be edited, and apply the code again.";
		throw nothing("editor", sentence);
	}
	// A preview would replace the tab of the diff.
	await vscode.window.showTextDocument(document, { preview: false });
	await vscode.window.tabGroups.close(tab);
	return true;
}

/** Editor of the file to compare with: that of the diff in front, or the last active one. */
async function comparedEditor(): Promise<Pick<vscode.TextEditor, "document" | "selection">> {
	const { activeTabGroup, all } = vscode.window.tabGroups;
	const inFront = comparisonIn(activeTabGroup.activeTab);
	const active = inFront === undefined ? lastActiveEditor() : undefined;
	if (active !== undefined) return active;
	// If the chat is in a tab, the diff may be in another group.
	const [shown] = [inFront, ...all.map(({ activeTab }) => comparisonIn(activeTab))].filter(
		(each) => each !== undefined,
	);
	if (shown === undefined) throw nothing("editor", "No file is active. Open one or click into it, and try again.");
	const document = await vscode.workspace.openTextDocument(shown.original);
	const side = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
	return side ?? { document, selection: new vscode.Selection(0, 0, 0, 0) };
}

/** Diff with code of the chat in a tab, if it shows one. */
function comparisonIn(tab: vscode.Tab | undefined): vscode.TabInputTextDiff | undefined {
	const input = tab?.input;
	return input instanceof vscode.TabInputTextDiff && input.modified.scheme === TEXT_SCHEME ? input : undefined;
}

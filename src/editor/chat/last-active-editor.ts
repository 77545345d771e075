import * as vscode from "vscode";

/** Text editors in the order of their last use, the last one first. */
let used: readonly vscode.TextEditor[] = [];

/** Number of editors that are remembered. */
const REMEMBERED = 10;

/** Remembers which text editors are used, until it is disposed. */
export function rememberEditors(): vscode.Disposable {
	const remember = (editor: vscode.TextEditor | undefined) => {
		if (isForCode(editor)) used = [editor, ...used.filter((each) => !isSame(each, editor))].slice(0, REMEMBERED);
	};
	remember(vscode.window.activeTextEditor);
	const subscription = vscode.window.onDidChangeActiveTextEditor(remember);
	return {
		dispose() {
			subscription.dispose();
			used = [];
		},
	};
}

/**
 * Text editor in front, or else, behind a chat in an editor tab, the visible one that was used last. If none is remembered,
 * no guess is made between several: a file that is not meant must neither be sent to a service nor be written to.
 */
export function lastActiveEditor(): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	if (isForCode(activeTextEditor)) return activeTextEditor;
	const visible = visibleTextEditors.filter(isForCode);
	for (const editor of used) {
		// The API makes another object of an editor each time, and its group may have moved.
		const shown =
			visible.find((each) => isSame(each, editor)) ?? visible.find(({ document }) => document === editor.document);
		if (shown !== undefined) return shown;
	}
	return visible.length === 1 ? visible[0] : undefined;
}

function isSame(one: vscode.TextEditor, other: vscode.TextEditor): boolean {
	return one.document === other.document && one.viewColumn === other.viewColumn;
}

/** True for an editor of a file: output, logs and the boxes of other views are text editors to the API as well. */
function isForCode(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
	return editor !== undefined && editor.viewColumn !== undefined && editor.document.uri.scheme !== "output";
}

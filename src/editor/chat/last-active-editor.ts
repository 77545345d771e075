import * as vscode from "vscode";

/** The editor of each document and group that was in front since the chat is there, the last one first. */
let used: readonly vscode.TextEditor[] = [];

/** Remembers which text editors are used; nothing of them is known any more once it is disposed. */
export function rememberEditors(): vscode.Disposable {
	const remember = (editor: vscode.TextEditor | undefined) => {
		if (!isForCode(editor)) return;
		const others = used.filter((each) => each.document !== editor.document || each.viewColumn !== editor.viewColumn);
		used = [editor, ...others.filter((each) => shownAgain(each) !== undefined)];
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
 * The text editor that a person means: the one in front, or else, behind a chat in an editor tab, the one in sight that
 * was used last. Where none is remembered, no guess is made between several: a file that is not meant must neither leave
 * for a service nor be written to.
 */
export function lastActiveEditor(): vscode.TextEditor | undefined {
	const { activeTextEditor } = vscode.window;
	if (isForCode(activeTextEditor)) return activeTextEditor;
	for (const editor of used) {
		const shown = shownAgain(editor);
		if (shown !== undefined) return shown;
	}
	const [only, ...others] = inSight();
	return others.length === 0 ? only : undefined;
}

/** An editor that is in sight still, or again: the API makes another of it each time. Its group may have moved. */
function shownAgain(editor: vscode.TextEditor): vscode.TextEditor | undefined {
	const same = inSight().filter(({ document }) => document === editor.document);
	return same.find((each) => each === editor) ?? same.find((each) => each.viewColumn === editor.viewColumn) ?? same[0];
}

function inSight(): vscode.TextEditor[] {
	return vscode.window.visibleTextEditors.filter(isForCode);
}

/** Output, logs and the boxes of other views are text editors to the API, but nobody's code. */
function isForCode(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
	return editor !== undefined && editor.viewColumn !== undefined && editor.document.uri.scheme !== "output";
}

import * as vscode from "vscode";

/** Recently used editors, the last first. Two splits can show one document. */
let used: readonly Pick<vscode.TextEditor, "document" | "viewColumn">[] = [];

/** Remembers which text editors are used, until it is disposed. */
export function rememberEditors(): vscode.Disposable {
	const remember = (editor: vscode.TextEditor | undefined) => {
		if (!isForCode(editor)) return;
		const { document, viewColumn } = editor;
		const isOther = (each: (typeof used)[number]) => each.document !== document || each.viewColumn !== viewColumn;
		used = [{ document, viewColumn }, ...used.filter((each) => isOther(each) && !each.document.isClosed)];
	};
	remember(vscode.window.activeTextEditor);
	return vscode.window.onDidChangeActiveTextEditor(remember);
}

/** Active or last used visible editor; undefined in doubt: no other file must be sent or changed. */
export function lastActiveEditor(): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	if (isForCode(activeTextEditor)) return activeTextEditor;
	const visible = visibleTextEditors.filter(isForCode);
	// The API returns a new object each time, and the group may have changed.
	const [last] = used.flatMap(({ document, viewColumn }) => {
		const editors = visible.filter((editor) => editor.document === document);
		return editors.find((editor) => editor.viewColumn === viewColumn) ?? editors;
	});
	return last ?? (visible.length === 1 ? visible[0] : undefined);
}

/** True for an editor of a file: output, logs and the boxes of other views are text editors to the API as well. */
function isForCode(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
	return editor !== undefined && editor.viewColumn !== undefined && editor.document.uri.scheme !== "output";
}

import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { until } from "../support/until.ts";

const run = <T>(command: string, argument?: object): Thenable<T> =>
	vscode.commands.executeCommand<T>(command, argument);

const attach = (kind: string) => run<{ label: string }>("switchboard.chat.attach", { kind });

/** Opens a new file with its name as its text in a group, with all of it selected or nothing. */
async function open(name: string, column: vscode.ViewColumn, isSelected: boolean): Promise<vscode.TextEditor> {
	const [folder] = vscode.workspace.workspaceFolders ?? assert.fail();
	const uri = vscode.Uri.joinPath(folder?.uri ?? assert.fail(), name);
	await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(name));
	const document = await vscode.workspace.openTextDocument(uri);
	const editor = await vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
	const end = isSelected ? document.lineAt(document.lineCount - 1).range.end : new vscode.Position(0, 0);
	editor.selection = new vscode.Selection(new vscode.Position(0, 0), end);
	return editor;
}

/** Waits until extensions know that no text editor is active, which they learn a moment later. */
const chatInFront = () => until(async () => vscode.window.activeTextEditor === undefined, "the chat to be in front");

describe("The last active editor while the chat is in an editor tab in front", () => {
	let left: vscode.TextEditor;
	let right: vscode.TextEditor;

	before(async () => {
		await run("workbench.action.closeAllEditors");
		await run("switchboard.chat.list", {});
		left = await open("left.txt", vscode.ViewColumn.One, false);
		right = await open("right.txt", vscode.ViewColumn.Two, true);
		await run("workbench.action.focusThirdEditorGroup");
		await run("switchboard.chat.openInEditor");
		await chatInFront();
	});

	after(() => run("workbench.action.closeAllEditors"));

	const name = ({ document }: vscode.TextEditor) => vscode.workspace.asRelativePath(document.uri);

	it("is the one that was used last, for its selection and its file", async () => {
		assert.equal((await attach("selection")).label, `${name(right)}:1`);
		assert.equal((await attach("file")).label, name(right));
	});

	it("is the split that was used last, of two that show one file", async () => {
		await open("right.txt", vscode.ViewColumn.One, false);
		for (const [column, isSelected] of [
			[vscode.ViewColumn.Two, true],
			[vscode.ViewColumn.One, false],
		] as const) {
			await vscode.window.showTextDocument(right.document, column);
			await run("workbench.action.focusLastEditorGroup");
			await run("switchboard.chat.openInEditor");
			await chatInFront();
			if (isSelected) await attach("selection");
			else await assert.rejects(async () => attach("selection"), /Nothing is selected/);
		}
	});

	it("is the previous one once that is closed, and never one that is out of sight", async () => {
		const isInSight = () => vscode.window.visibleTextEditors.some(({ document }) => document === right.document);
		const isOfRight = ({ input }: vscode.Tab) =>
			input instanceof vscode.TabInputText && input.uri.toString() === right.document.uri.toString();
		const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isOfRight);
		assert.ok(await vscode.window.tabGroups.close(tabs));
		await until(async () => !isInSight(), "the editor to be closed");
		await run("workbench.action.focusLastEditorGroup");
		await run("switchboard.chat.openInEditor");
		await chatInFront();
		assert.equal((await attach("file")).label, name(left));
		await assert.rejects(async () => attach("selection"), /Nothing is selected/);
	});
});

import * as vscode from "vscode";
import { leadTo } from "./prompts.ts";

/** File at the path of an argument; undefined where it names none. */
export function fileAt(path: string | undefined): vscode.Uri | undefined {
	return path === undefined ? undefined : vscode.Uri.file(path);
}

/** Asks where an export goes, with a file of that name in the workspace as the first choice. */
export function askExportFile(title: string, name: string, filters: Readonly<Record<string, string[]>>) {
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
	const defaultUri = folder && vscode.Uri.joinPath(folder, name);
	return vscode.window.showSaveDialog({ title, saveLabel: "Export", filters, ...(defaultUri && { defaultUri }) });
}

/** Writes an export to a file, and leads a person who was asked for its place there. */
export async function writeExport(uri: vscode.Uri, text: string, isAsked: boolean): Promise<void> {
	await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
	const open = { label: "Open", command: "vscode.open", argument: uri };
	if (isAsked) leadTo(`Exported to ${uri.path.split("/").at(-1)}.`, open);
}

import * as vscode from "vscode";
import { Branches } from "#app/chat/branches.ts";
import type { ListedConversation } from "#app/chat/conversation-index.ts";
import { exportJson, exportMarkdown } from "#app/chat/export-conversation.ts";
import { importJson } from "#app/chat/import-conversation.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, optionalText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { conversationOf } from "./history-commands.ts";
import type { HistoryParts } from "./history-pick.ts";

const FILTERS = { markdown: { Markdown: ["md"] }, json: { JSON: ["json"] } };

type Format = keyof typeof FILTERS;

/** Exports a conversation: what is on screen of it as Markdown, or all of it as JSON. */
export async function exportConversation(
	call: Call,
	parts: HistoryParts,
): Promise<{ conversation: string; format: Format; text?: string; path?: string } | undefined> {
	const listed = await conversationOf(call, parts);
	if (listed === undefined) return undefined;
	const { id, title } = listed;
	const fields = fieldsOf(call.argument);
	const given = fields?.["format"] ?? (fields === undefined ? undefined : "markdown");
	if (given !== undefined && given !== "markdown" && given !== "json") {
		throw invalid("messages", "format", "must be markdown or json");
	}
	const uri = fields === undefined ? await askWhere(title) : fileAt(optionalText(fields, "path"));
	if (fields === undefined && uri === undefined) return undefined;
	const format: Format = given ?? (uri?.path.endsWith(".json") ? "json" : "markdown");
	const text = await textOf(listed, format, parts);
	if (uri === undefined) return { conversation: id, format, text };
	await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
	if (fields === undefined) {
		const open = "Open";
		void vscode.window.showInformationMessage(`Exported to ${uri.path.split("/").at(-1)}.`, open).then((choice) => {
			if (choice === open) void vscode.commands.executeCommand("vscode.open", uri);
		});
	}
	return { conversation: id, format, path: uri.fsPath };
}

/** A service may well have repeated the key it was sent, before the key was known here. */
async function textOf(
	{ id, title }: ListedConversation,
	format: Format,
	{ store, redactor }: HistoryParts,
): Promise<string> {
	const found = await store.read(id);
	if (found === undefined) throw invalid("messages", "conversation", `"${id}" has nothing to export yet`);
	const all = { ...found, title, path: new Branches(found).path };
	return redactor.leaving(format === "json" ? exportJson(all) : exportMarkdown(all));
}

async function askWhere(title: string): Promise<vscode.Uri | undefined> {
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
	const name = `${title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "conversation"}.md`;
	return vscode.window.showSaveDialog({
		title: "Export Conversation",
		saveLabel: "Export",
		filters: { ...FILTERS.markdown, ...FILTERS.json },
		...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
	});
}

/** Imports what was exported as JSON, as a conversation of its own. */
export async function importConversation(
	argument: unknown,
	parts: HistoryParts,
): Promise<{ conversation: string } | undefined> {
	const { conversations, store, panels } = parts;
	const text = await textToImport(argument);
	if (text === undefined) return undefined;
	const id = conversations.newId();
	await store.add(id, importJson(text));
	if (argument === undefined) {
		const session = await conversations.open(id);
		if (session !== undefined) conversations.show(session);
		await panels.reveal();
	}
	return { conversation: id };
}

async function textToImport(argument: unknown): Promise<string | undefined> {
	const fields = fieldsOf(argument);
	const given = fields === undefined ? undefined : optionalText(fields, "text");
	if (given !== undefined) return given;
	const path = fields === undefined ? undefined : optionalText(fields, "path");
	if (fields !== undefined && path === undefined) throw invalid("messages", "text", "is missing");
	const uri =
		fileAt(path) ??
		(
			await vscode.window.showOpenDialog({ title: "Import Conversation", openLabel: "Import", filters: FILTERS.json })
		)?.[0];
	if (uri === undefined) return undefined;
	try {
		return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
	} catch {
		throw invalid("messages", "path", "is not a file that can be read");
	}
}

function fileAt(path: string | undefined): vscode.Uri | undefined {
	return path === undefined ? undefined : vscode.Uri.file(path);
}

import * as vscode from "vscode";
import { Branches } from "#app/chat/branches.ts";
import type { ListedConversation } from "#app/chat/conversation-store.ts";
import { exportJson, exportMarkdown, importJson } from "#app/chat/export-conversation.ts";
import { imagesOf } from "#app/chat/images.ts";
import { VIEWS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { oneOf, optional, trimmed } from "#base/schema.ts";
import { commandsOf, inTitle } from "../kit/command.ts";
import type { ChatRoom } from "./chat-room.ts";
import { conversationOf } from "./history-commands.ts";

const FILTERS = { markdown: { Markdown: ["md"] }, json: { JSON: ["json"] } };

type Format = keyof typeof FILTERS;

const define = commandsOf<ChatRoom>({ service: "messages" });

/** Commands that export and import conversations. */
export const TRANSFER_COMMANDS = [
	define("switchboard.chat.export", "Export Conversation...", {
		menus: [inTitle(VIEWS.chat, "0_conversation@3")],
		input: {
			conversation: trimmed(),
			format: optional(oneOf("markdown", "json")),
			path: optional(trimmed()),
		},
		gives: ["{conversation, format, text}", "{conversation, format, path}"],
		async run(call, parts) {
			const conversation = await conversationOf(call, parts);
			if (conversation === undefined) return undefined;
			const { id, title } = conversation;
			const { argument } = call;
			const uri = argument === undefined ? await askWhere(title) : fileAt(argument.path);
			if (argument === undefined && uri === undefined) return undefined;
			const byName = argument === undefined && uri?.path.endsWith(".json") ? "json" : "markdown";
			const format: Format = argument?.format ?? byName;
			const text = await textOf(conversation, format, parts);
			if (uri === undefined) return { conversation: id, format, text };
			await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
			if (argument === undefined) void offerToOpen(uri);
			return { conversation: id, format, path: uri.fsPath };
		},
	}),
	define("switchboard.chat.import", "Import Conversation...", {
		menus: [inTitle(VIEWS.chat, "0_history@1")],
		input: { text: optional(trimmed()), path: optional(trimmed()) },
		takes: ["{text}", "{path}"],
		gives: ["{conversation}"],
		async run({ argument }, { conversations, store, panels }) {
			if (argument !== undefined && argument.text === undefined && argument.path === undefined) {
				throw invalid("messages", "text", "is missing");
			}
			const uri = argument === undefined ? await askFile() : fileAt(argument.path);
			const text = argument?.text ?? (uri && (await contentOf(uri)));
			if (text === undefined) return undefined;
			const id = conversations.newId();
			const { images, ...state } = importJson(text);
			for (const data of images) await store.images.keep(Buffer.from(data, "base64"));
			await store.add(id, state);
			if (argument === undefined) {
				const session = await conversations.open(id);
				if (session !== undefined) conversations.show(session);
				await panels.reveal();
			}
			return { conversation: id };
		},
	}),
];

async function offerToOpen(uri: vscode.Uri): Promise<void> {
	const open = "Open";
	const choice = await vscode.window.showInformationMessage(`Exported to ${uri.path.split("/").at(-1)}.`, open);
	if (choice === open) await vscode.commands.executeCommand("vscode.open", uri);
}

/** A service may well have repeated the key it was sent, before the key was known here. */
async function textOf(
	{ id, title }: ListedConversation,
	format: Format,
	{ store, redactor }: ChatRoom,
): Promise<string> {
	const found = await store.read(id);
	if (found === undefined) throw invalid("messages", "conversation", `"${id}" has nothing to export yet`);
	const all = { ...found, title, path: new Branches(found).path };
	if (format === "markdown") return redactor.leaving(exportMarkdown(all));
	const images = await Promise.all(imagesOf(found).map((hash) => store.images.base64(hash)));
	return redactor.leaving(exportJson({ ...all, images: images.filter((data) => data !== undefined) }));
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

async function askFile(): Promise<vscode.Uri | undefined> {
	const options = { title: "Import Conversation", openLabel: "Import", filters: FILTERS.json };
	return (await vscode.window.showOpenDialog(options))?.[0];
}

async function contentOf(uri: vscode.Uri): Promise<string> {
	try {
		return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
	} catch {
		throw invalid("messages", "path", "is not a file that can be read");
	}
}

function fileAt(path: string | undefined): vscode.Uri | undefined {
	return path === undefined ? undefined : vscode.Uri.file(path);
}

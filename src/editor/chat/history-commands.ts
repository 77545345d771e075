import * as vscode from "vscode";
import { Branches } from "#app/chat/branches.ts";
import type { ListedConversation } from "#app/chat/conversation-store.ts";
import { exportJson, exportMarkdown, importJson } from "#app/chat/export-conversation.ts";
import { imagesOf } from "#app/chat/images.ts";
import { exportName } from "#app/chat/journal-files.ts";
import { search } from "#app/chat/search.ts";
import { invalid } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import { flag, integer, nullable, oneOf, optional, text, trimmed } from "#base/schema.ts";
import { type Call, givenIn, runOn } from "../kit/command.ts";
import { askExportFile, fileAt, writeExport } from "../kit/export.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, askText, BACK, confirmed, notify } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { leave } from "./chat.ts";
import { show } from "./chat-commands.ts";
import { type ChatRoom, define, defineHidden, inChat, inConversation, inTab } from "./chat-room.ts";
import { showPicked } from "./history-pick.ts";

const CONVERSATION = { conversation: trimmed() };
const FILTERS = { markdown: { Markdown: ["md"] }, json: { JSON: ["json"] } };

type Format = keyof typeof FILTERS;

/** Commands about stored conversations. */
export const HISTORY_COMMANDS = [
	define("switchboard.chat.history", "Show History...", {
		icon: "history",
		menus: [inChat("navigation@3"), inTab("navigation@2")],
		input: { query: optional(trimmed()), deleted: optional(flag()), limit: optional(integer({ min: 1 })) },
		gives: ["{conversations: [{conversation, title, at, pinned, messages, snippet, message?}]}"],
		async run({ argument }, parts) {
			if (argument === undefined) return showPicked(parts);
			const { query, limit, deleted = false } = argument;
			if (query !== undefined) return found(query, limit, parts);
			return { conversations: (await parts.store.list({ deleted })).slice(0, limit).map(summaryOf) };
		},
	}),
	defineHidden("switchboard.chat.rename", "Rename Conversation...", {
		menus: [inConversation("1_change@1")],
		input: { ...CONVERSATION, title: nullable(text()) },
		gives: ["{title}"],
		run: runOn(conversationOf, async (conversation, call, parts) => {
			const { id, title: value } = conversation;
			const prompt = "Leave empty to use its first words";
			const asked = { title: "Rename Conversation", placeholder: value, value, prompt };
			const answer = call.argument === undefined ? await askText(asked) : (call.argument.title ?? "");
			if (typeof answer !== "string") return undefined;
			const title = oneLine(answer);
			await parts.store.change(id, { t: "facts", title: title === "" ? null : title });
			return { title: (await parts.store.list()).find((each) => each.id === id)?.title ?? title };
		}),
	}),
	defineHidden("switchboard.chat.pin", "Pin or Unpin Conversation", {
		menus: [inConversation("1_change@2")],
		input: { ...CONVERSATION, pinned: optional(flag()) },
		gives: ["{pinned}"],
		run: runOn(conversationOf, async (conversation, call, parts) => {
			const { pinned = true } = call.argument ?? { pinned: !conversation.pinned };
			await parts.store.change(conversation.id, { t: "facts", pinned: pinned ? true : null });
			return { pinned };
		}),
	}),
	defineHidden("switchboard.chat.delete", "Delete Conversation", {
		menus: [inConversation("3_end@1")],
		input: CONVERSATION,
		gives: ["{conversation, deleted}"],
		run: runOn(conversationOf, async (conversation, call, parts) => {
			const { id } = conversation;
			const { store, conversations, clock } = parts;
			if (conversation.isUnreadable) {
				const detail = "Its file is removed for good.";
				const isMeant = call.argument !== undefined || (await confirmed("Delete this conversation?", "Delete", detail));
				if (isMeant) await store.discard(id);
				return { conversation: id, deleted: isMeant };
			}
			const wasOnScreen = conversations.active.id === id;
			await store.change(id, { t: "gone", at: clock.now() });
			leave(id, conversations);
			if (call.argument === undefined) void offerUndo(conversation, wasOnScreen, parts);
			return { conversation: id, deleted: true };
		}),
	}),
	defineHidden("switchboard.chat.restore", "Restore Deleted Conversation...", {
		menus: [inConversation("3_end@2")],
		input: CONVERSATION,
		gives: ["{conversation, restored}"],
		async run(call, parts) {
			const { store, conversations } = parts;
			const deleted = await store.list({ deleted: true });
			const given = givenIn(call);
			const id = given === undefined ? await pickDeleted(deleted) : given.conversation;
			if (id === undefined) return undefined;
			if (!deleted.some((each) => each.id === id)) {
				throw invalid("messages", "conversation", `"${id}" is not one of the deleted conversations`);
			}
			await store.change(id, { t: "gone", at: null });
			const session = given === undefined ? await conversations.open(id) : undefined;
			if (session !== undefined) await show(session, parts);
			return { conversation: id, restored: true };
		},
	}),
	defineHidden("switchboard.chat.export", "Export Conversation...", {
		menus: [inConversation("2_file@1")],
		input: {
			conversation: trimmed(),
			format: optional(oneOf("markdown", "json")),
			path: optional(trimmed()),
		},
		gives: ["{conversation, format, text}", "{conversation, format, path}"],
		run: runOn(conversationOf, async (conversation, call, parts) => {
			const { id, title } = conversation;
			const { argument } = call;
			const filters = { ...FILTERS.markdown, ...FILTERS.json };
			const ask = () => askExportFile("Export Conversation", `${exportName(title)}.md`, filters);
			const uri = argument === undefined ? await ask() : fileAt(argument.path);
			if (argument === undefined && uri === undefined) return undefined;
			const byName = argument === undefined && uri?.path.endsWith(".json") ? "json" : "markdown";
			const format: Format = argument?.format ?? byName;
			const text = await textOf(conversation, format, parts);
			if (uri === undefined) return { conversation: id, format, text };
			await writeExport(uri, text, argument === undefined);
			return { conversation: id, format, path: uri.fsPath };
		}),
	}),
	define("switchboard.chat.import", "Import Conversation...", {
		menus: [inConversation("2_file@2")],
		input: { text: optional(trimmed()), path: optional(trimmed()) },
		takes: ["{text}", "{path}"],
		gives: ["{conversation}"],
		async run({ argument }, parts) {
			const { conversations, store } = parts;
			if (argument !== undefined && argument.text === undefined && argument.path === undefined) {
				throw invalid("messages", "text", "is missing");
			}
			const dialog = { title: "Import Conversation", openLabel: "Import", filters: FILTERS.json };
			const uri = argument ? fileAt(argument.path) : (await vscode.window.showOpenDialog(dialog))?.[0];
			const text = argument?.text ?? (uri && (await contentOf(uri)));
			if (text === undefined) return undefined;
			const id = conversations.newId();
			const { images, ...state } = importJson(text);
			for (const data of images) await store.images.keep(Buffer.from(data, "base64"));
			await store.add(id, state);
			const session = argument === undefined ? await conversations.open(id) : undefined;
			if (session !== undefined) await show(session, parts);
			return { conversation: id };
		},
	}),
];

async function found(query: string, limit = Number.POSITIVE_INFINITY, { store, files }: ChatRoom) {
	const conversations: ConversationSummary[] = [];
	for await (const { conversation, snippet, message } of search(query, await store.list(), files)) {
		conversations.push({ ...summaryOf(conversation), snippet, ...(message === undefined ? {} : { message }) });
		if (conversations.length >= limit) break;
	}
	return { conversations };
}

async function offerUndo(
	{ id, title }: ListedConversation,
	wasOnScreen: boolean,
	{ store, conversations }: ChatRoom,
): Promise<void> {
	if ((await notify("Information", `"${title}" was deleted.`, "Undo")) === undefined) return;
	if (!(await store.list({ deleted: true })).some((each) => each.id === id)) {
		void notify("Information", "There is nothing left to undo.");
		return;
	}
	await vscode.commands.executeCommand("switchboard.chat.restore", syntheticRow({ conversation: id }));
	const session = wasOnScreen ? await conversations.open(id) : undefined;
	if (session !== undefined) conversations.show(session);
}

async function pickDeleted(deleted: readonly ListedConversation[]): Promise<string | undefined> {
	if (deleted.length === 0) {
		void notify("Information", "No conversation was deleted in the last day.");
		return undefined;
	}
	const answer = await askChoice(
		{ title: "Restore Deleted Conversation", placeholder: "Which conversation?" },
		deleted.map(({ id, title, snippet }) => ({ label: withoutIcons(title), detail: withoutIcons(snippet), value: id })),
	);
	return answer === BACK ? undefined : answer;
}

/** Conversation of a call: named, of a row, or the one on screen. */
async function conversationOf(
	call: Call<{ readonly conversation: string }>,
	{ store, conversations }: ChatRoom,
): Promise<ListedConversation | undefined> {
	const named = givenIn(call)?.conversation;
	const id = named ?? conversations.active.id;
	const conversation = (await store.list()).find((each) => each.id === id);
	if (conversation !== undefined) return conversation;
	if (named !== undefined) throw invalid("messages", "conversation", `"${id}" is not one of the conversations`);
	void notify("Information", "This conversation has no messages yet.");
	return undefined;
}

/** Conversation in the result of a command, with the message of a match. */
export type ConversationSummary = ReturnType<typeof summaryOf> & { readonly message?: string };

/** Summarizes a conversation; `at` is the time of the last message in ISO 8601, or null if unknown. */
function summaryOf({ id, title, at, pinned, messages, snippet }: ListedConversation) {
	return { conversation: id, title, at: at > 0 ? new Date(at).toISOString() : null, pinned, messages, snippet };
}

/** Exports a conversation without secrets that a service has repeated. */
async function textOf(
	{ id, title }: ListedConversation,
	format: Format,
	{ store, redactor }: ChatRoom,
): Promise<string> {
	const found = await store.read(id);
	if (found === undefined) throw invalid("messages", "conversation", `"${id}" has nothing to export yet`);
	const all = { ...found, title, path: new Branches(found).path };
	// In markdown a character of a secret can stand escaped.
	const shown = redactor.leaving({ title, path: all.path });
	if (format === "markdown") return redactor.leaving(exportMarkdown({ ...all, ...shown }));
	const images = await Promise.all(imagesOf(found).map((hash) => store.images.base64(hash)));
	return redactor.leaving(exportJson({ ...all, images: images.filter((data) => data !== undefined) }));
}

async function contentOf(uri: vscode.Uri): Promise<string> {
	try {
		return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
	} catch {
		throw invalid("messages", "path", "is not a file that can be read");
	}
}

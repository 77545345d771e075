import * as vscode from "vscode";
import type { ListedConversation } from "#app/chat/conversation-index.ts";
import { search } from "#app/chat/search.ts";
import { COMMANDS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import { type Fields, fieldsOf, optionalText, requiredText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { sayNothingLeft } from "../report.ts";
import { asked } from "../tree.ts";
import { leave } from "./chat.ts";
import { type HistoryParts, showPicked } from "./history-pick.ts";

/** A conversation as commands tell of it. */
export interface ToldConversation {
	readonly conversation: string;
	readonly title: string;
	/** When something was last said in it; ISO 8601, or null where it is not known. */
	readonly at: string | null;
	readonly pinned: boolean;
	readonly messages: number;
	/** Beginning of the last message, or text around the match. */
	readonly snippet: string;
	/** The message with the place found. */
	readonly message?: string | undefined;
}

/** Shows all conversations, for the person to choose from and to search in. With an argument it tells what would be shown. */
export async function showHistory(
	argument: unknown,
	parts: HistoryParts,
): Promise<{ conversations: readonly ToldConversation[] } | { conversation: string } | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined)
		return optionalText(fields, "query") === undefined ? listed(fields, parts) : found(fields, parts);
	return showPicked(parts);
}

/** Tells of all conversations: pinned ones first, then the newest. */
export async function listConversations(
	argument: unknown,
	parts: HistoryParts,
): Promise<{ conversations: readonly ToldConversation[] }> {
	return listed(fieldsOf(argument) ?? {}, parts);
}

/** Searches the text of all conversations. */
export async function searchConversations(
	argument: unknown,
	parts: HistoryParts,
): Promise<{ conversations: readonly ToldConversation[] }> {
	const fields = fieldsOf(argument) ?? {};
	requiredText(fields, "query");
	return found(fields, parts);
}

async function listed(fields: Fields, { store }: HistoryParts) {
	const conversations = await store.list({ deleted: optionalFlag(fields, "deleted") ?? false });
	return { conversations: conversations.slice(0, limitIn(fields)).map((each) => told(each)) };
}

async function found(fields: Fields, { store, files }: HistoryParts) {
	const conversations: ToldConversation[] = [];
	const limit = limitIn(fields);
	const options = { files, conversations: await store.list() };
	for await (const { conversation, snippet, message } of search(requiredText(fields, "query"), options)) {
		conversations.push({ ...told(conversation), snippet, ...(message === undefined ? {} : { message }) });
		if (conversations.length >= limit) break;
	}
	return { conversations };
}

/** Gives a conversation a title of the person's own; without one it is called by its first message again. */
export async function renameConversation(call: Call, parts: HistoryParts): Promise<{ title: string } | undefined> {
	const { argument } = call;
	const conversation = await conversationOf(call, parts);
	if (conversation === undefined) return undefined;
	const fields = fieldsOf(argument);
	const given = fields?.["title"] === null ? "" : fields?.["title"];
	if (fields !== undefined && typeof given !== "string") throw invalid("messages", "title", "must be a text");
	const answer =
		given ??
		(await askText({
			title: "Rename Conversation",
			placeholder: conversation.title,
			value: conversation.title,
			prompt: "Empty for its first words",
		}));
	if (typeof answer !== "string") return undefined;
	const title = oneLine(answer);
	await parts.store.change(conversation.id, { t: "facts", title: title === "" ? null : title });
	return { title: (await parts.store.list()).find(({ id }) => id === conversation.id)?.title ?? title };
}

/** Puts a conversation before those that are not pinned, or back among them. */
export async function pinConversation(call: Call, parts: HistoryParts): Promise<{ pinned: boolean } | undefined> {
	const conversation = await conversationOf(call, parts);
	if (conversation === undefined) return undefined;
	const wanted = optionalFlag(fieldsOf(call.argument) ?? {}, "pinned");
	const pinned = wanted ?? (call.argument === undefined ? !conversation.pinned : true);
	await parts.store.change(conversation.id, { t: "facts", pinned: pinned ? true : null });
	return { pinned };
}

/** Deletes a conversation, which can be brought back for a day; a person is offered that at once. */
export async function deleteConversation(
	call: Call,
	parts: HistoryParts,
): Promise<{ conversation: string; deleted: boolean } | undefined> {
	const conversation = await conversationOf(call, parts);
	if (conversation === undefined) return undefined;
	const { id, title } = conversation;
	const { store, conversations, clock } = parts;
	const wasOnScreen = conversations.active.id === id;
	await store.change(id, { t: "gone", at: clock.now() });
	leave(id, conversations);
	if (call.argument === undefined) {
		const undo = "Undo";
		void vscode.window.showInformationMessage(withoutLinks(`"${title}" was deleted.`), undo).then(async (choice) => {
			if (choice !== undo) return;
			if ((await store.list()).some((each) => each.id === id)) {
				sayNothingLeft();
				return;
			}
			await vscode.commands.executeCommand(COMMANDS.chatRestore, asked({ conversation: id }));
			const session = wasOnScreen ? await conversations.open(id) : undefined;
			if (session !== undefined) conversations.show(session);
		});
	}
	return { conversation: id, deleted: true };
}

/** Brings a deleted conversation back; one that a person chooses is shown. */
export async function restoreConversation(
	{ row, argument }: Call,
	{ store, conversations, panels }: HistoryParts,
): Promise<{ conversation: string; restored: boolean } | undefined> {
	const deleted = await store.list({ deleted: true });
	const fields = row?.fields ?? fieldsOf(argument);
	const id = fields === undefined ? await pickDeleted(deleted) : requiredText(fields, "conversation");
	if (id === undefined) return undefined;
	if (!deleted.some((each) => each.id === id)) {
		throw invalid("messages", "conversation", `"${id}" is not one of the deleted conversations`);
	}
	await store.change(id, { t: "gone", at: null });
	const session = fields === undefined ? await conversations.open(id) : undefined;
	if (session !== undefined) {
		conversations.show(session);
		await panels.reveal();
	}
	return { conversation: id, restored: true };
}

async function pickDeleted(deleted: readonly ListedConversation[]): Promise<string | undefined> {
	if (deleted.length === 0) {
		void vscode.window.showInformationMessage("No conversation was deleted in the last day.");
		return undefined;
	}
	const answer = await askChoice(
		{ title: "Restore Deleted Conversation", placeholder: "Which conversation?" },
		deleted.map(({ id, title, snippet }) => ({ label: withoutIcons(title), detail: withoutIcons(snippet), value: id })),
	);
	return answer === BACK ? undefined : answer;
}

/** The conversation that a command is about: named, pointed at, or the one on screen. */
export async function conversationOf(
	{ row, argument }: Call,
	{ store, conversations }: HistoryParts,
): Promise<ListedConversation | undefined> {
	const fields = row?.fields ?? fieldsOf(argument);
	const id = fields === undefined ? conversations.active.id : requiredText(fields, "conversation");
	const conversation = (await store.list()).find((each) => each.id === id);
	if (conversation === undefined && fields !== undefined) {
		throw invalid("messages", "conversation", `"${id}" is not one of the conversations`);
	}
	if (conversation === undefined)
		void vscode.window.showInformationMessage("Nothing was said in this conversation yet.");
	return conversation;
}

function told({ id, title, at, pinned, messages, snippet }: ListedConversation): ToldConversation {
	return { conversation: id, title, at: at > 0 ? new Date(at).toISOString() : null, pinned, messages, snippet };
}

function limitIn(fields: Fields): number {
	const limit = fields["limit"] ?? Number.POSITIVE_INFINITY;
	if (typeof limit === "number" && limit >= 1) return limit;
	throw invalid("messages", "limit", "must be a whole number from 1 up");
}

function optionalFlag(fields: Fields, name: string): boolean | undefined {
	const value = fields[name];
	if (value === undefined || value === null || typeof value === "boolean") return value ?? undefined;
	throw invalid("messages", name, "must be true or false");
}

import * as vscode from "vscode";
import type { ListedConversation } from "#app/chat/conversation-store.ts";
import { search } from "#app/chat/search.ts";
import { CHAT_EDITOR, VIEWS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import { flag, integer, nullable, optional, text, trimmed } from "#base/schema.ts";
import type { Call } from "../kit/call.ts";
import { commandsOf, givenIn, inTitle } from "../kit/command.ts";
import { withoutIcons, withoutLinks } from "../kit/plain.ts";
import { askChoice, askText, BACK } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { sayNothingLeft } from "../report.ts";
import { leave } from "./chat.ts";
import type { ChatRoom } from "./chat-room.ts";
import { showPicked } from "./history-pick.ts";

const define = commandsOf<ChatRoom>({ service: "messages" });

const CONVERSATION = { conversation: trimmed() };
const LIMIT = { limit: optional(integer({ min: 1 })) };
const inChat = (group: string) => inTitle(VIEWS.chat, group);

/** Commands about the conversations that are kept. */
export const HISTORY_COMMANDS = [
	define("switchboard.chat.history", "Show History...", {
		icon: "history",
		menus: [
			inChat("navigation@3"),
			{ menu: "editor/title", when: `activeWebviewPanelId == ${CHAT_EDITOR}`, group: "navigation@2" },
		],
		input: { query: optional(trimmed()), ...LIMIT },
		gives: ["{conversations: [{conversation, title, at, pinned, messages, snippet, message?}]}"],
		run({ argument }, parts) {
			if (argument === undefined) return showPicked(parts);
			const { query, limit } = argument;
			return query === undefined ? listed({ limit }, parts) : found(query, limit, parts);
		},
	}),
	define("switchboard.chat.list", "List Conversations", {
		palette: false,
		input: { deleted: optional(flag()), ...LIMIT },
		gives: ["{conversations: [{conversation, title, at, pinned, messages, snippet}]}"],
		run: ({ argument }, parts) => listed(argument ?? {}, parts),
	}),
	define("switchboard.chat.search", "Search Conversations...", {
		palette: false,
		input: { query: trimmed(), ...LIMIT },
		gives: ["{conversations: [{conversation, title, at, pinned, messages, snippet, message?}]}"],
		run({ argument }, parts) {
			if (argument === undefined) throw invalid("messages", "query", "is missing");
			return found(argument.query, argument.limit, parts);
		},
	}),
	define("switchboard.chat.rename", "Rename Conversation...", {
		menus: [inChat("0_conversation@1")],
		input: { ...CONVERSATION, title: nullable(text()) },
		gives: ["{title}"],
		async run(call, parts) {
			const conversation = await conversationOf(call, parts);
			if (conversation === undefined) return undefined;
			const { id, title: value } = conversation;
			const answer = call.argument
				? (call.argument.title ?? "")
				: await askText({
						title: "Rename Conversation",
						placeholder: value,
						value,
						prompt: "Leave empty to use its first words",
					});
			if (typeof answer !== "string") return undefined;
			const title = oneLine(answer);
			await parts.store.change(id, { t: "facts", title: title === "" ? null : title });
			return { title: (await parts.store.list()).find((each) => each.id === id)?.title ?? title };
		},
	}),
	define("switchboard.chat.pin", "Pin or Unpin Conversation", {
		menus: [inChat("0_conversation@2")],
		input: { ...CONVERSATION, pinned: optional(flag()) },
		gives: ["{pinned}"],
		async run(call, parts) {
			const conversation = await conversationOf(call, parts);
			if (conversation === undefined) return undefined;
			const { pinned = true } = call.argument ?? { pinned: !conversation.pinned };
			await parts.store.change(conversation.id, { t: "facts", pinned: pinned ? true : null });
			return { pinned };
		},
	}),
	define("switchboard.chat.delete", "Delete Conversation", {
		menus: [inChat("0_conversation@4")],
		input: CONVERSATION,
		gives: ["{conversation, deleted}"],
		async run(call, parts) {
			const conversation = await conversationOf(call, parts);
			if (conversation === undefined) return undefined;
			const { id } = conversation;
			const { store, conversations, clock } = parts;
			const wasOnScreen = conversations.active.id === id;
			await store.change(id, { t: "gone", at: clock.now() });
			leave(id, conversations);
			if (call.argument === undefined) void offerUndo(conversation, wasOnScreen, parts);
			return { conversation: id, deleted: true };
		},
	}),
	define("switchboard.chat.restore", "Restore Deleted Conversation...", {
		menus: [inChat("0_history@2")],
		input: CONVERSATION,
		gives: ["{conversation, restored}"],
		async run(call, { store, conversations, panels }) {
			const deleted = await store.list({ deleted: true });
			const given = givenIn(call);
			const id = given === undefined ? await pickDeleted(deleted) : given.conversation;
			if (id === undefined) return undefined;
			if (!deleted.some((each) => each.id === id)) {
				throw invalid("messages", "conversation", `"${id}" is not one of the deleted conversations`);
			}
			await store.change(id, { t: "gone", at: null });
			const session = given === undefined ? await conversations.open(id) : undefined;
			if (session !== undefined) {
				conversations.show(session);
				await panels.reveal();
			}
			return { conversation: id, restored: true };
		},
	}),
];

/** All conversations: pinned ones first, then the newest. */
async function listed(
	{ deleted = false, limit }: { readonly deleted?: boolean; readonly limit?: number | undefined },
	{ store }: ChatRoom,
) {
	return { conversations: (await store.list({ deleted })).slice(0, limit).map(told) };
}

async function found(query: string, limit = Number.POSITIVE_INFINITY, { store, files }: ChatRoom) {
	const conversations: ToldConversation[] = [];
	for await (const each of search(query, await store.list(), files)) {
		const { conversation, snippet, message } = each;
		conversations.push({ ...told(conversation), snippet, ...(message === undefined ? {} : { message }) });
		if (conversations.length >= limit) break;
	}
	return { conversations };
}

async function offerUndo(
	{ id, title }: ListedConversation,
	wasOnScreen: boolean,
	{ store, conversations }: ChatRoom,
): Promise<void> {
	const undo = "Undo";
	if ((await vscode.window.showInformationMessage(withoutLinks(`"${title}" was deleted.`), undo)) !== undo) return;
	if ((await store.list()).some((each) => each.id === id)) {
		sayNothingLeft();
		return;
	}
	await vscode.commands.executeCommand("switchboard.chat.restore", syntheticRow({ conversation: id }));
	const session = wasOnScreen ? await conversations.open(id) : undefined;
	if (session !== undefined) conversations.show(session);
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
	call: Call<{ readonly conversation: string }>,
	{ store, conversations }: ChatRoom,
): Promise<ListedConversation | undefined> {
	const named = givenIn(call)?.conversation;
	const id = named ?? conversations.active.id;
	const conversation = (await store.list()).find((each) => each.id === id);
	if (conversation !== undefined) return conversation;
	if (named !== undefined) throw invalid("messages", "conversation", `"${id}" is not one of the conversations`);
	void vscode.window.showInformationMessage("This conversation has no messages yet.");
	return undefined;
}

/** Conversation as commands return it, with the message that a search has found. */
export type ToldConversation = ReturnType<typeof told> & { readonly message?: string };

/** The time is that of the last message in ISO 8601, or null where it is not known. */
function told({ id, title, at, pinned, messages, snippet }: ListedConversation) {
	return { conversation: id, title, at: at > 0 ? new Date(at).toISOString() : null, pinned, messages, snippet };
}

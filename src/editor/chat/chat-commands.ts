import * as vscode from "vscode";
import { ATTACHMENT_KIND } from "#app/chat/attachments.ts";
import { readChatLink } from "#app/chat/chat-link.ts";
import { chooseConnection, chooseModel, setAbility } from "#app/chat/choose-model.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import { DEFAULT_EFFORT, NO_EFFORT, PARAMETERS } from "#app/chat/parameters.ts";
import { type QueuedResult, type SendResult, sendResult } from "#app/chat/result.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { presetOfProfile } from "#app/connections/messages-profiles.ts";
import { EFFORTS } from "#app/connections/model-capabilities.ts";
import { CONTEXT, TEXT_SCHEME, TREES, VIEWS } from "#app/contributions.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { capitalized } from "#base/one-line.ts";
import { type FieldValues, flag, list, object, optional, text, trimmed, withDefault } from "#base/schema.ts";
import type { Added } from "../connections/ask-connection.ts";
import { givenIn, inTitle, onRows } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice } from "../kit/prompts.ts";
import { withProgress } from "../progress.ts";
import { type ChatRoom, define, defineHidden, inChat, inTab } from "./chat-room.ts";
import { applyComparison } from "./compare.ts";
import { showPicked } from "./history-pick.ts";
import { ADD, askConnectionAndModel, askModel } from "./model-picker.ts";
import { draft, mayBeAsked } from "./say.ts";

const NAME = text({ min: 1 });

/** Fields of a message to send. */
const SEND = {
	text: NAME,
	connection: optional(NAME),
	...PARAMETERS,
	/** Conversation to continue, or the caller's own name for a new one. */
	conversation: optional(NAME),
	/** True if it may be queued. */
	queue: optional(flag()),
	attachments: optional(
		list(
			object(
				{ kind: withDefault(ATTACHMENT_KIND, "file"), label: NAME, text: text(), language: optional(text()) },
				{ strict: true },
			),
		),
	),
};

/** Commands about the chat and the conversation on screen. */
export const CHAT_COMMANDS = [
	defineHidden("switchboard.chat.send", "Send Message...", {
		input: SEND,
		run({ argument }, parts) {
			if (argument === undefined) throw invalid("messages", "text", "is missing");
			return send(argument, parts);
		},
	}),
	define("switchboard.chat.stop", "Stop Reply", {
		palette: CONTEXT.busy,
		enablement: CONTEXT.busy,
		input: { conversation: optional(trimmed()) },
		gives: ["{stopped}"],
		run({ argument: { conversation } = {} }, { conversations }) {
			const session = conversation === undefined ? conversations.active : conversations.get(conversation);
			return { stopped: session?.stop() ?? false };
		},
	}),
	define("switchboard.chat.new", "New Conversation", {
		icon: "add",
		menus: [inChat("navigation@4"), inTab("navigation@3")],
		gives: ["{conversation}"],
		run: (_, parts) => show(parts.conversations.empty(), parts),
	}),
	define("switchboard.openChat", "Open Chat", {
		palette: true,
		icon: "comment-discussion",
		menus: [
			TREES.map((view) => inTitle(view, "navigation@9")),
			onRows(VIEWS.connections, "=~ /^connection\\.messages\\b/", "inline@2", "1_use@1"),
		],
		input: { connection: optional(trimmed()) },
		gives: ["{conversation}"],
		async run(call, parts) {
			const named = givenIn(call)?.connection;
			if (named !== undefined) await chooseForNew(parts.registry.require(named, "messages"), parts);
			return show(parts.conversations.active, parts);
		},
	}),
	define("switchboard.chat.start", "Chat with Your Model", {
		palette: `!${CONTEXT.addedMessages}`,
		gives: ["{conversation}"],
		async run(_, parts) {
			const { registry, chosen } = parts;
			const own = registry.list("messages").find(({ id }) => !registry.isEphemeral(id));
			if (own === undefined && (await parts.addConnection()) === undefined) return undefined;
			if (own !== undefined && registry.isEphemeral(chosen.get()?.id ?? "")) await chooseForNew(own, parts);
			return show(parts.conversations.active, parts);
		},
	}),
	defineHidden("switchboard.chat.showConversation", "Show Conversation...", {
		input: { conversation: trimmed() },
		gives: ["{conversation}"],
		async run({ argument }, parts) {
			if (argument === undefined) return showPicked(parts);
			return show(await parts.conversations.require(argument.conversation), parts);
		},
	}),
	define("switchboard.chat.nextConversation", "Next Conversation", {
		keybinding: { key: "alt+pagedown", when: CONTEXT.focused },
		gives: ["{conversation}"],
		run: (_, parts) => showBeside(1, parts),
	}),
	define("switchboard.chat.previousConversation", "Previous Conversation", {
		keybinding: { key: "alt+pageup", when: CONTEXT.focused },
		gives: ["{conversation}"],
		run: (_, parts) => showBeside(-1, parts),
	}),
	defineHidden("switchboard.chat.selectConnection", "Select Model...", {
		input: { connection: trimmed() },
		gives: ["{connection}"],
		async run({ argument }, parts) {
			if (argument === undefined) return selectByPrompts(parts);
			const { id } = parts.registry.require(argument.connection, "messages");
			await choose(id, parts);
			return { connection: id };
		},
	}),
	define("switchboard.chat.selectModel", "Select Model...", {
		icon: "plug",
		menus: [inChat("navigation@2"), inTab("navigation@1")],
		input: { model: trimmed() },
		gives: ["{model}"],
		async run({ argument, row }, parts) {
			const own = parts.registry.get(String(row?.fields["connection"]), "messages");
			const model = own && (await askModel(own, parts.models, own.model));
			if (own !== undefined) return model && parts.registry.setModel(own.id, model);
			if (argument === undefined) return selectByPrompts(parts);
			const { active } = parts.conversations;
			if (active.target.connection === undefined) {
				throw invalid("messages", "connection", "is missing: there is no connection yet");
			}
			await chooseModel(argument.model, active, parts.registry);
			return { model: argument.model };
		},
	}),
	define("switchboard.chat.selectEffort", "Select Thinking Effort...", {
		input: { effort: trimmed() },
		gives: ["{effort}"],
		run: ({ argument }, parts) => selectEffort(argument?.effort, parts),
	}),
	define("switchboard.chat.refreshModels", "Refresh Models", {
		gives: ["{models}"],
		async run(_, { models, registry }) {
			await models.refresh();
			return { models: registry.list("messages").flatMap((each) => models.known(each)).length };
		},
	}),
	define("switchboard.chat.openInEditor", "Open Chat in Editor", {
		icon: "go-to-file",
		menus: [inChat("navigation@1")],
		gives: ["{conversation}"],
		run(_, { panels, conversations }) {
			panels.openInEditor();
			return { conversation: conversations.active.id };
		},
	}),
	define("switchboard.chat.applyComparison", "Apply Code from Chat", {
		icon: "check",
		palette: false,
		menus: [
			{ menu: "editor/title", when: `isInDiffEditor && resourceScheme == ${TEXT_SCHEME}`, group: "navigation@1" },
		],
		gives: ["{applied}"],
		run: async () => ({ applied: await applyComparison() }),
	}),
	define("switchboard.chat.find", "Find in Chat", {
		keybinding: { key: "ctrl+f", mac: "cmd+f", when: CONTEXT.focused },
		gives: ["{}"],
		async run(_, { panels }) {
			await panels.tell({ type: "find" });
			return {};
		},
	}),
	define("switchboard.chat.focusLastMessage", "Focus Last Message", {
		gives: ["{}"],
		async run(_, { panels }) {
			await panels.tell({ type: "focus", where: "last-message" });
			return {};
		},
	}),
	define("switchboard.chat.accessibilityHelp", "Open Chat Accessibility Help", {
		keybinding: { key: "alt+f1", when: CONTEXT.focused },
		gives: ["{}"],
		async run(_, { extensionUri }) {
			const page = vscode.Uri.joinPath(extensionUri, "docs", "accessibility.md");
			await vscode.commands.executeCommand("markdown.showPreview", page);
			return {};
		},
	}),
];

/** Sends a message, and resolves when the reply has ended, or a queued message waits for the person. */
async function send(argument: FieldValues<typeof SEND>, parts: ChatRoom): Promise<SendResult | QueuedResult> {
	const { text: written, connection, conversation, queue, attachments: given = [], ...parameters } = argument;
	// Before a conversation is created.
	if (connection !== undefined) parts.registry.require(connection, "messages");
	await parts.secretFilter.ready();
	const attachments = parts.secretFilter.redact(given).map((each) => ({ id: crypto.randomUUID(), ...each }));
	const session = await sessionFor(conversation, parts.conversations);
	const options = { connection, parameters, attachments, unattended: true };
	if (queue !== true || !session.busy) return sendResult(session, await session.send(written, options));
	const queued = session.enqueue(written, options);
	const reply = await queued.reply;
	if (reply === undefined) throw new ClientError("messages", "aborted", "The message was removed from the queue");
	if (typeof reply === "string") return { conversation: session.id, queued: { id: queued.id, reason: reply } };
	return sendResult(session, reply);
}

/** Opens or creates the named conversation, else a new one. A new one comes on screen unless a reply is under way there. */
async function sessionFor(conversation: string | undefined, conversations: Conversations): Promise<ChatSession> {
	// A message to a deleted conversation restores it.
	const known = conversation === undefined ? undefined : await conversations.open(conversation, { restore: true });
	if (known !== undefined) return known;
	const session = conversation === undefined ? conversations.empty() : conversations.create(conversation);
	if (!conversations.active.busy) conversations.show(session);
	return session;
}

/** Shows a conversation and reveals the chat. */
export async function show(
	session: ChatSession,
	{ conversations, panels }: Pick<ChatRoom, "conversations" | "panels">,
): Promise<{ conversation: string }> {
	conversations.show(session);
	await panels.reveal();
	return { conversation: session.id };
}

/** Opens a link to the chat: shows a conversation and drafts a text, which is never sent. Rejects with ClientError `invalid`. */
export async function openChatLink({ path, query }: vscode.Uri, parts: ChatRoom): Promise<void> {
	const { conversation, text: written } = readChatLink(path, query);
	await parts.isBack;
	await show(await parts.conversations.require(conversation), parts);
	if (written.trim() !== "") await draft(written, parts);
}

/** Shows the next or previous conversation of the history, if any. */
async function showBeside(step: 1 | -1, parts: ChatRoom): Promise<{ conversation: string }> {
	const { active } = parts.conversations;
	const ids = (await parts.store.list()).map(({ id }) => id);
	const beside = ids[ids.indexOf(active.id) + step];
	return show((beside && (await parts.conversations.open(beside))) || active, parts);
}

/** Asks for the connection and model of the next messages. */
async function selectByPrompts(parts: ChatRoom): Promise<{ connection: string; model?: string } | undefined> {
	const picked = await askConnectionAndModel(parts);
	if (picked === undefined) return undefined;
	if (picked === ADD) {
		const added = await parts.addConnection();
		// One whose service did not answer is for later.
		if (added === undefined || added.unasked === true) return undefined;
		await choose(added.id, parts);
		return { connection: added.id };
	}
	const { model } = picked;
	const { id } = picked.connection;
	await choose(id, parts);
	await chooseModel(model, parts.conversations.active, parts.registry);
	return { connection: id, model };
}

/**
 * Asks for the model of an added connection that has several, uses it in an empty or sandbox conversation, and sends a
 * question that had none, if its service answered. Resolves to a sentence about its model.
 */
export async function useAdded({ id, unasked = false, isFound = false }: Added, room: ChatRoom): Promise<string> {
	const { chosen, conversations, registry, models, report } = room;
	const { active } = conversations;
	const connection = registry.get(id, "messages");
	if (unasked || connection === undefined) return "";
	if (connection.model === undefined) {
		const load = () => models.of(connection);
		// Whoever cancels the list keeps the connection, with the first model.
		const listing = withProgress("Looking for its models...", load, { wizard: "Add Connection" });
		const { length } = await listing.catch(() => ({ length: 1 }));
		const picked = isFound || length === 1 ? undefined : await askModel(connection, models);
		if (picked !== undefined) await registry.setModel(id, picked);
	}
	const { profile = "custom" } = active.target.connection ?? {};
	const isToMove = active.entries.length === 0 || presetOfProfile(profile)?.isTrial === true;
	if (isToMove && !active.isReadOnly) chooseConnection(id, active);
	await chosen.choose(id);
	const last = active.entries.at(-1);
	const isFree = !active.isReadOnly && !active.busy;
	const isHeld = isFree && last?.role === "assistant" && last.ended?.error?.field === "connection";
	if (isHeld && (await mayBeAsked(active, last.id, room))) active.retry(last.id).catch(report);
	const model = models.modelFor(registry.get(id, "messages"));
	return model === "" ? "It lists no models. Choose one below the composer." : `New conversations use ${model}.`;
}

/** Chooses the connection of new conversations and of the one on screen. */
async function choose(id: string, { chosen, conversations: { active } }: ChatRoom): Promise<void> {
	chooseConnection(id, active);
	await chosen.choose(id);
}

/** Begins with a connection: in a conversation of its own, unless the one on screen is empty or goes there. */
async function chooseForNew({ id }: { readonly id: string }, parts: ChatRoom): Promise<void> {
	const { conversations } = parts;
	const { active } = conversations;
	if (active.entries.length > 0 && active.target.connection?.id !== id) conversations.show(conversations.empty());
	await choose(id, parts);
}

/** Sets the effort of thinking of the conversation on screen; undefined if the person leaves. Throws `invalid` for a wrong one. */
async function selectEffort(
	named: string | undefined,
	{ conversations: { active }, models, registry }: ChatRoom,
): Promise<{ effort: string } | undefined> {
	const { connection, model } = active.target;
	const { efforts: own, unknown } = models.capabilities(connection, model);
	const tries = unknown.includes("thinking") && model !== "";
	const efforts = tries ? EFFORTS : own;
	const known = [DEFAULT_EFFORT, NO_EFFORT, ...efforts];
	const off = "cannot be chosen: turn on thinking of the model in Conversation Settings";
	if (efforts.length === 0) throw invalid("messages", "effort", off);
	if (!known.includes(named ?? DEFAULT_EFFORT))
		throw invalid("messages", "effort", `must be one of ${known.join(", ")}`);
	const { effort: current = DEFAULT_EFFORT, ...others } = active.facts.parameters ?? {};
	const choices = known.map((value) => ({
		label: withoutIcons(capitalized(value)),
		value,
		active: value === current,
		description: value === current ? "(current)" : "",
	}));
	const title = tries ? "Try Thinking" : "Thinking Effort";
	const effort = named ?? (await askChoice({ title, placeholder: model }, choices));
	if (typeof effort !== "string") return undefined;
	if (tries && efforts.includes(effort)) await setAbility("thinking", true, active.target, { registry, models });
	const parameters = effort === DEFAULT_EFFORT ? others : { ...others, effort };
	active.setFacts({ parameters: Object.keys(parameters).length === 0 ? undefined : parameters });
	await models.refused.remove(connection?.id, model, "effort");
	return { effort };
}

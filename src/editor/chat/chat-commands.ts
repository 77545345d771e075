import * as vscode from "vscode";
import type { Conversations } from "#app/chat/conversations.ts";
import { decodeSendArguments, type SendArguments } from "#app/chat/parameters.ts";
import { type SendResult, sendResult } from "#app/chat/result.ts";
import type { ChatSession } from "#app/chat/session.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { MESSAGES_PRESETS } from "#app/connections/messages-profiles.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { SETTINGS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, optionalText, requiredText } from "../arguments.ts";
import { withoutIcons } from "../plain.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { chatParameters } from "../settings.ts";
import type { ChosenConnection } from "./chosen-connection.ts";
import type { ChatPanels } from "./panels.ts";

/** The row that adds a connection. */
const ADD = Symbol("add");

/** What the chat's commands work with. */
export interface ChatParts {
	readonly conversations: Conversations;
	readonly panels: ChatPanels;
	readonly registry: ConnectionRegistry;
	readonly chosen: ChosenConnection;
	/** Adds a connection by asking for it. */
	readonly addConnection: () => Promise<unknown>;
}

/** Sends a message and resolves when the reply has ended. Without an argument it asks for the text and shows the chat. */
export async function send(argument: unknown, parts: ChatParts): Promise<SendResult | undefined> {
	if (argument === undefined || argument === null) {
		const text = await askText({ title: "Send Message", placeholder: "Ask something" });
		if (typeof text !== "string" || text.trim() === "") return undefined;
		await parts.panels.reveal();
		const session = parts.conversations.active;
		return sendResult(session.id, await session.send(text));
	}
	const wanted = decodeSendArguments(argument);
	// A name that is wrong must leave no conversation behind.
	if (wanted.connection !== undefined) parts.registry.require(wanted.connection, "messages");
	const session = sessionFor(wanted, parts.conversations);
	const options = { connection: wanted.connection, parameters: wanted.parameters };
	return sendResult(session.id, await session.send(wanted.text, options));
}

/**
 * The conversation a call speaks in: the one it names, made if need be, else a new one. A new one comes on screen
 * unless the person is in the middle of a reply.
 */
function sessionFor({ conversation }: SendArguments, conversations: Conversations): ChatSession {
	const known = conversation === undefined ? undefined : conversations.get(conversation);
	if (known !== undefined) return known;
	const session = conversation === undefined ? conversations.empty() : conversations.create(conversation);
	if (!conversations.active.busy) conversations.show(session);
	return session;
}

/** Stops the reply under way in a conversation, or in the one on screen. */
export function stop(argument: unknown, { conversations }: ChatParts): { stopped: boolean } {
	const id = optionalText(fieldsOf(argument) ?? {}, "conversation");
	if (id === undefined) return { stopped: conversations.active.stop() };
	return { stopped: conversations.get(id)?.stop() ?? false };
}

/** Shows an empty conversation. */
export async function newConversation(argument: unknown, parts: ChatParts): Promise<{ conversation: string }> {
	fieldsOf(argument);
	const session = parts.conversations.empty();
	parts.conversations.show(session);
	await parts.panels.reveal();
	return { conversation: session.id };
}

/** Brings a conversation on screen. */
export async function showConversation(
	argument: unknown,
	parts: ChatParts,
): Promise<{ conversation: string } | undefined> {
	const fields = fieldsOf(argument);
	const { conversations } = parts;
	let session: ChatSession | undefined;
	if (fields === undefined) {
		const sessions = conversations.list();
		if (sessions.length === 0) {
			void vscode.window.showInformationMessage("There is no other conversation yet.");
			return undefined;
		}
		session = await pickSession(sessions, conversations.active);
	} else {
		session = requireSession(requiredText(fields, "conversation"), conversations);
	}
	if (session === undefined) return undefined;
	conversations.show(session);
	await parts.panels.reveal();
	return { conversation: session.id };
}

/** Chooses where the next messages go: the connection, then its model. */
export async function selectConnection(
	argument: unknown,
	parts: ChatParts,
): Promise<{ connection: string } | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined) {
		const { id } = parts.registry.require(requiredText(fields, "connection"), "messages");
		await parts.chosen.choose(id);
		return { connection: id };
	}
	const current = parts.chosen.get();
	const answer = await askChoice<string | typeof ADD>(
		{ title: "Connection and Model", placeholder: "Where should messages go?" },
		[
			...parts.registry.list("messages").map((each) => ({
				label: withoutIcons(each.label),
				description: withoutIcons(each.id === current?.id ? `${each.baseUrl} (current)` : each.baseUrl),
				detail: withoutIcons(each.model ?? ""),
				value: each.id,
			})),
			{ label: "$(add) Add Connection...", value: ADD },
		],
	);
	if (answer === ADD) {
		await parts.addConnection();
		return undefined;
	}
	if (typeof answer !== "string") return undefined;
	await parts.chosen.choose(answer);
	await selectModel(undefined, parts);
	return { connection: answer };
}

/** Sets the model of the connection that messages go to. */
export async function selectModel(argument: unknown, parts: ChatParts): Promise<{ model: string } | undefined> {
	const fields = fieldsOf(argument);
	const connection = parts.chosen.get();
	if (connection === undefined) {
		if (fields !== undefined) throw invalid("messages", "connection", "is missing: there is no connection yet");
		await parts.addConnection();
		return undefined;
	}
	const model = fields === undefined ? await askModel(connection) : requiredText(fields, "model");
	if (model === undefined) return undefined;
	await parts.registry.setModel(connection.id, model);
	return { model };
}

/** Asks for the name of a model that a connection has; undefined when the person leaves. */
export async function askModel(connection: MessagesConnection): Promise<string | undefined> {
	const preset = typeof connection.profile === "string" ? MESSAGES_PRESETS[connection.profile] : undefined;
	const answer = await askText({
		title: `Model of ${connection.label}`,
		placeholder: preset?.exampleModel ?? "model-name",
		value: connection.model ?? chatParameters().model ?? "",
		check: (text) => (text.trim() === "" ? "The model's name is missing." : undefined),
	});
	return typeof answer === "string" ? answer.trim() : undefined;
}

/** What the setting allows. */
const MOST_TOKENS = 1_000_000;

/** Asks for a higher limit than `current`, and keeps it in the settings. Undefined when the person leaves. */
export async function raiseMaxTokens(current: number): Promise<number | undefined> {
	const answer = await askText({
		title: "Raise max_tokens",
		placeholder: "8192",
		prompt: "The most tokens a reply may have; kept in your settings",
		value: String(Math.min(MOST_TOKENS, Math.max(2 * current, 1024))),
		check: (text) => {
			const isTaken = /^[1-9]\d*$/.test(text.trim()) && Number(text) <= MOST_TOKENS;
			return isTaken ? undefined : `Enter a whole number from 1 to ${MOST_TOKENS}.`;
		},
	});
	if (typeof answer !== "string") return undefined;
	const maxTokens = Number(answer.trim());
	const target = vscode.ConfigurationTarget.Global;
	await vscode.workspace.getConfiguration().update(SETTINGS.maxTokens, maxTokens, target);
	return maxTokens;
}

function requireSession(id: string, conversations: Conversations): ChatSession {
	const session = conversations.get(id);
	if (session === undefined) throw invalid("messages", "conversation", `"${id}" is not one of the conversations`);
	return session;
}

async function pickSession(sessions: readonly ChatSession[], active: ChatSession): Promise<ChatSession | undefined> {
	const answer = await askChoice(
		{ title: "Show Conversation", placeholder: "Which conversation?" },
		sessions.map((session) => ({
			label: withoutIcons(session.title),
			description: [session === active ? "on screen" : "", session.busy ? "receiving a reply" : ""]
				.filter((part) => part !== "")
				.join(", "),
			value: session,
		})),
	);
	return answer === BACK ? undefined : answer;
}

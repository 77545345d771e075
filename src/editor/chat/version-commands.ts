import type { Entry } from "#app/chat/conversation.ts";
import { replyText } from "#app/chat/conversation.ts";
import { forkAt } from "#app/chat/fork.ts";
import { decodeParameters } from "#app/chat/parameters.ts";
import { partsOf } from "#app/chat/parts.ts";
import { type SendResult, sendResult } from "#app/chat/result.ts";
import type { AskChange, ChatSession } from "#app/chat/session.ts";
import { COMMANDS } from "#app/contributions.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Fields, fieldsOf, optionalText, requiredText } from "../arguments.ts";
import { leadTo, OPEN_CHAT } from "../next-step.ts";
import { withoutIcons } from "../plain.ts";
import { askChoice, askText } from "../prompts.ts";
import { mayBeAsked } from "./budget-question.ts";
import { askModel, type ChatParts } from "./chat-commands.ts";

/** Asks for another version of a reply. Without an argument it asks the person by whom and how. */
export async function regenerate(argument: unknown, parts: ChatParts): Promise<SendResult | undefined> {
	const fields = fieldsOf(argument);
	const session = await sessionOf(fields, parts);
	const id = messageOf(fields, session, "assistant");
	if (fields === undefined) {
		const first = partsOf(id, session.entries)[0]?.id ?? id;
		const change = await askHowToRegenerate(first, session, parts);
		if (change === undefined || !(await mayBeAsked(session, first))) return undefined;
		return sendResult(session.id, await session.regenerate(first, change), COMMANDS.chatRegenerate);
	}
	const { conversation: _, message: __, connection: ___, ...rest } = fields;
	const wanted = optionalText(fields, "connection");
	if (wanted !== undefined) parts.registry.require(wanted, "messages");
	const change = { connection: wanted, parameters: decodeParameters(rest) };
	return sendResult(session.id, await session.regenerate(id, change), COMMANDS.chatRegenerate);
}

/** Asks the person which connection, model and temperature another version of a reply is to be asked for with. */
export async function askHowToRegenerate(
	id: string,
	session: ChatSession,
	{ registry, models }: Pick<ChatParts, "registry" | "models">,
): Promise<AskChange | undefined> {
	const reply = session.all.find((entry) => entry.id === id);
	const before = reply?.role === "assistant" ? reply : undefined;
	const title = "Regenerate With";
	const connections = registry.list("messages").map((each) => ({
		label: withoutIcons(each.label),
		description: withoutIcons(each.id === before?.connectionId ? "asked before" : each.baseUrl),
		active: each.id === before?.connectionId,
		value: each,
	}));
	const connection = await askChoice({ title, placeholder: "Which connection?", stays: true }, connections);
	if (connection === undefined || typeof connection === "symbol") return undefined;
	const current = connection.id === before?.connectionId ? before.model : undefined;
	const model = await askModel(connection, models, current);
	if (model === undefined) return undefined;
	const temperature = await askText({
		title,
		placeholder: "Temperature; empty for that of the conversation",
		value: before?.parameters.temperature?.toString() ?? "",
		check: numberMistake,
	});
	if (typeof temperature !== "string") return undefined;
	const asked = { model, temperature: temperature.trim() === "" ? undefined : Number(temperature) };
	return { connection: connection.id, parameters: asked };
}

/** Mistake in a number that may be left out. */
export function numberMistake(text: string): string | undefined {
	return text.trim() === "" || Number.isFinite(Number(text)) ? undefined : "Enter a number, or nothing.";
}

/** Sends another text in place of a turn. */
export async function edit(argument: unknown, parts: ChatParts): Promise<SendResult> {
	const fields = fieldsOf(argument) ?? {};
	const session = await sessionOf(fields, parts);
	const reply = await session.edit(messageOf(fields, session, "user"), requiredText(fields, "text"));
	return sendResult(session.id, reply, COMMANDS.chatEdit);
}

/** Goes on where a reply was cut off. A program that asks for it is not asked back about its size. */
export async function continueReply(argument: unknown, parts: ChatParts): Promise<SendResult | undefined> {
	const fields = fieldsOf(argument);
	const session = await sessionOf(fields, parts);
	const id = messageOf(fields, session, "assistant");
	if (fields === undefined && !(await mayBeAsked(session, id, "further"))) return undefined;
	return sendResult(session.id, await session.continueReply(id), COMMANDS.chatContinue);
}

/** Begins a conversation with what leads to a message, and shows it. */
export async function fork(
	argument: unknown,
	parts: ChatParts,
): Promise<{ conversation: string; draft?: string } | undefined> {
	const fields = fieldsOf(argument);
	const session = await sessionOf(fields, parts);
	const { conversations, panels, store: drafts } = parts;
	const { session: made, draft } = forkAt(messageOf(fields, session), session, { conversations, drafts });
	conversations.show(made);
	await panels.reveal();
	return { conversation: made.id, ...(draft === undefined ? {} : { draft }) };
}

/** Brings another version of a message on screen. */
export async function selectVersion(
	argument: unknown,
	parts: ChatParts,
): Promise<{ message: string; version: number; versions: readonly string[] }> {
	const fields = fieldsOf(argument);
	const session = await sessionOf(fields, parts);
	const id = messageOf(fields, session);
	const wanted = fields?.["version"] ?? undefined;
	const { ids, index } = session.versions(id);
	const chosen = wanted === undefined ? id : ids[Number(wanted) - 1];
	if (chosen === undefined) throw invalid("messages", "version", `must be a whole number from 1 to ${ids.length}`);
	session.choose(chosen);
	return { message: chosen, version: (wanted === undefined ? index : Number(wanted) - 1) + 1, versions: ids };
}

/** A message as a program sees it. */
interface ListedMessage {
	readonly id: string;
	readonly role: Entry["role"];
	readonly text: string;
	readonly version: number;
	readonly versions: readonly string[];
	readonly outcome?: string;
}

/** The messages of a conversation that are on screen, and the versions of each. */
export async function listMessages(
	argument: unknown,
	parts: ChatParts,
): Promise<{ conversation: string; title: string; messages: readonly ListedMessage[] }> {
	const session = await sessionOf(fieldsOf(argument), parts);
	const messages = session.entries.map((entry) => {
		const { index, ids } = session.versions(entry.id);
		const outcome = entry.role === "user" ? undefined : (entry.ended?.outcome ?? "streaming");
		const { id, role } = entry;
		const listed = { id, role, text: textOf(entry), version: index + 1, versions: ids };
		return outcome === undefined ? listed : { ...listed, outcome };
	});
	return { conversation: session.id, title: session.title, messages };
}

/** Tells what waits to be sent in a conversation; takes a turn of it away, or sends it now. */
export async function queue(
	argument: unknown,
	parts: ChatParts,
): Promise<{ conversation: string; queue: readonly { id: string; text: string }[] }> {
	const fields = fieldsOf(argument) ?? {};
	const session = await sessionOf(fields, parts);
	const remove = optionalText(fields, "remove");
	const sent = optionalText(fields, "send");
	if (remove !== undefined && !session.unqueue(remove)) throw invalid("messages", "remove", "is not in the queue");
	if (sent !== undefined) sendNow(session, sent);
	return { conversation: session.id, queue: session.queue.map(({ id, text }) => ({ id, text })) };
}

/** Sends a queued turn; whoever queued it waits for its reply, or has heard that it waits for a person. */
function sendNow(session: ChatSession, id: string): void {
	if (session.busy) throw invalid("messages", "conversation", "is still receiving a reply");
	if (!session.queue.some((turn) => turn.id === id)) throw invalid("messages", "send", "is not in the queue");
	void session.sendQueued(id);
}

/** The conversation a call names, or the one on screen. */
export async function sessionOf(fields: Fields | undefined, { conversations }: ChatParts): Promise<ChatSession> {
	const id = optionalText(fields ?? {}, "conversation");
	const session = id === undefined ? conversations.active : await conversations.open(id);
	if (session === undefined) throw invalid("messages", "conversation", `"${id}" is not one of the conversations`);
	return session;
}

/** The message a call names, or the last one of that role. */
function messageOf(fields: Fields | undefined, session: ChatSession, role?: Entry["role"]): string {
	const named = optionalText(fields ?? {}, "message");
	const last = session.entries.findLast((entry) => role === undefined || entry.role === role);
	const id = named ?? last?.id;
	if (id !== undefined) return id;
	if (fields !== undefined) throw invalid("messages", "message", "is missing: the conversation has none yet");
	const wanted = role === "assistant" ? "no reply yet. Send a message first." : "no message yet. Send one first.";
	leadTo(`This conversation has ${wanted}`, OPEN_CHAT);
	throw new ClientError("messages", "aborted", "There is no message yet");
}

function textOf(entry: Entry): string {
	return entry.role === "user" ? entry.text : replyText(entry.reply);
}

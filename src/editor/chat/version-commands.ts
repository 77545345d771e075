import { compact } from "#app/chat/ask-once.ts";
import { type Entry, entryText } from "#app/chat/conversation.ts";
import { forkAt } from "#app/chat/fork.ts";
import { PARAMETERS } from "#app/chat/parameters.ts";
import { partsOf } from "#app/chat/parts.ts";
import { sendResult } from "#app/chat/result.ts";
import type { ChatSession } from "#app/chat/session.ts";
import type { AskChange } from "#app/chat/turn-queue.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import { integer, oneOf, optional, text, trimmed } from "#base/schema.ts";
import { runOn } from "../kit/command.ts";
import { askChoice, askText } from "../kit/prompts.ts";
import { withProgress } from "../progress.ts";
import { show } from "./chat-commands.ts";
import { type ChatRoom, defineHidden, inConversation, sessionOf } from "./chat-room.ts";
import { askModel, connectionRows } from "./model-picker.ts";
import { mayBeSent, mayCost, mayWrite } from "./say.ts";

const CONVERSATION = { conversation: optional(trimmed()) };
const MESSAGE = { ...CONVERSATION, message: optional(trimmed()) };

/** Commands about the messages of a conversation and their versions. */
export const VERSION_COMMANDS = [
	defineHidden("switchboard.chat.regenerate", "Regenerate With...", {
		input: { ...MESSAGE, connection: optional(trimmed()), ...PARAMETERS },
		run: runOn(sessionOf, async (session, { argument = {} }, parts) => {
			const id = messageOf(argument, session, "assistant");
			const { conversation: _, message: __, connection, ...parameters } = argument;
			if (connection !== undefined) parts.registry.require(connection, "messages");
			return sendResult(session, await session.regenerate(id, { connection, parameters, unattended: true }));
		}),
	}),
	defineHidden("switchboard.chat.edit", "Edit and Resend", {
		input: { ...MESSAGE, text: trimmed() },
		run: runOn(sessionOf, async (session, { argument }) => {
			if (argument === undefined) throw invalid("messages", "text", "is missing");
			const turn = messageOf(argument, session, "user");
			return sendResult(session, await session.edit(turn, argument.text, { unattended: true }));
		}),
	}),
	defineHidden("switchboard.chat.continue", "Continue Reply", {
		input: MESSAGE,
		run: runOn(sessionOf, async (session, { argument }) =>
			sendResult(session, await session.continueReply(messageOf(argument, session, "assistant"), { unattended: true })),
		),
	}),
	defineHidden("switchboard.chat.answerCall", "Answer Tool Call", {
		input: {
			...CONVERSATION,
			message: trimmed(),
			key: trimmed(),
			// What holds for more than one call is the person's to say, in the panel.
			answer: oneOf("once", "deny"),
			word: optional(text()),
		},
		gives: ["{answer}"],
		run: runOn(sessionOf, async (session, { argument }) => {
			if (argument === undefined) throw invalid("messages", "key", "is missing");
			const { message, key, answer, word } = argument;
			const isAnswered = await session.answerCall(message, key, { answer, word });
			if (!isAnswered) throw invalid("messages", "key", "is not that of a call that asks");
			return { answer };
		}),
	}),
	defineHidden("switchboard.chat.openReply", "Open Reply as Markdown", {
		input: MESSAGE,
		gives: ["{}"],
		run: runOn(sessionOf, async (session, { argument }, parts) => {
			await openReply(messageOf(argument, session, "assistant"), session, parts);
			return {};
		}),
	}),
	defineHidden("switchboard.chat.fork", "Fork Conversation", {
		input: MESSAGE,
		gives: ["{conversation, draft?}"],
		run: runOn(sessionOf, async (session, { argument }, parts) => {
			const { conversations, store } = parts;
			const { session: made, draft } = forkAt(messageOf(argument, session), session, {
				conversations,
				drafts: store.drafts,
			});
			return { ...(await show(made, parts)), ...(draft === undefined ? {} : { draft }) };
		}),
	}),
	defineHidden("switchboard.chat.compact", "Compact Conversation", {
		menus: [inConversation("1_change@3")],
		input: CONVERSATION,
		gives: ["{conversation, message}"],
		run: runOn(sessionOf, async (session, { argument }, room) => {
			// A program is not asked back.
			const may =
				argument !== undefined ||
				((await mayWrite(session, room)) && (await mayBeSent(session.entries, session, room)));
			if (!may) return undefined;
			const label = session.target.connection?.label ?? "";
			const mayPass = argument === undefined ? (refusal: ClientError) => mayCost(session, room, refusal) : undefined;
			const work = (signal: AbortSignal) => compact(session, room.parts, { signal, mayPass });
			const message = await withProgress("Summarizing the conversation...", work, { label });
			return message === undefined ? undefined : { conversation: session.id, message };
		}),
	}),
	defineHidden("switchboard.chat.selectVersion", "Show Version", {
		input: { ...MESSAGE, version: optional(integer()) },
		gives: ["{message, version, versions}"],
		run: runOn(sessionOf, async (session, { argument }) => {
			const id = messageOf(argument, session);
			const { ids, index } = session.tree.versions(id);
			const { version = index + 1 } = argument ?? {};
			const message = argument?.version === undefined ? id : ids[version - 1];
			if (message === undefined) throw invalid("messages", "version", `must be a whole number from 1 to ${ids.length}`);
			session.choose(message);
			return { message, version, versions: ids };
		}),
	}),
	defineHidden("switchboard.chat.listMessages", "List Messages", {
		input: CONVERSATION,
		gives: ["{conversation, title, messages: [{id, role, text, version, versions, outcome?, calls?}]}"],
		run: runOn(sessionOf, async (session) => {
			const messages = session.entries.map((entry) => {
				const { index, ids: versions } = session.tree.versions(entry.id);
				const { id, role } = entry;
				const shared = { id, role, text: entryText(entry), version: index + 1, versions };
				if (entry.role === "user") return shared;
				const calls = entry.calls.map(({ key, name, title, state }) => ({ key, name, title, state }));
				const outcome = entry.ended?.outcome ?? "streaming";
				return { ...shared, outcome, ...(calls.length === 0 ? {} : { calls }) };
			});
			return { conversation: session.id, title: session.title, messages };
		}),
	}),
	defineHidden("switchboard.chat.queue", "List Queued Messages", {
		input: { ...CONVERSATION, remove: optional(trimmed()), send: optional(trimmed()) },
		gives: ["{conversation, queue: [{id, text}]}"],
		run: runOn(sessionOf, async (session, { argument }) => {
			const { remove, send } = argument ?? {};
			if (remove !== undefined && !session.unqueue(remove)) throw invalid("messages", "remove", "is not in the queue");
			if (send !== undefined) {
				if (!session.queue.some(({ id }) => id === send)) throw invalid("messages", "send", "is not in the queue");
				// Its reply resolves the command that queued it.
				void session.sendQueued(send);
			}
			return { conversation: session.id, queue: session.queue.map(({ id, text: typed }) => ({ id, text: typed })) };
		}),
	}),
];

/** Shows the joined text of a reply as a document. Rejects with `invalid` if there is none. */
export async function openReply(id: string, session: ChatSession, { texts }: Pick<ChatRoom, "texts">): Promise<void> {
	const parts = partsOf(id, session.entries);
	if (parts.length === 0) throw invalid("messages", "message", "is not a reply on screen");
	const text = parts.map(({ reply, calls }) => {
		const words = reply?.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])) ?? [];
		return words.join("\n\n") + (calls.length > 0 ? "\n\n" : "");
	});
	await texts.show("Reply.md", `${text.join("").trim()}\n`);
}

/** Asks for the connection, model and temperature of another version of a reply. */
export async function askHowToRegenerate(
	id: string,
	session: ChatSession,
	{ registry, models }: Pick<ChatRoom, "registry" | "models">,
): Promise<AskChange | undefined> {
	const reply = session.tree.all.find((entry) => entry.id === id);
	const before = reply?.role === "assistant" ? reply : undefined;
	const title = "Regenerate With";
	const connections = connectionRows(registry, before?.connectionId);
	const connection = await askChoice({ title, placeholder: "Which connection?", stays: true }, connections);
	if (connection === undefined || typeof connection === "symbol") return undefined;
	const current = connection.id === before?.connectionId ? before.model : undefined;
	const model = await askModel(connection, models, current);
	if (model === undefined) return undefined;
	const isSampled = models.capabilities(connection, model).sampling;
	const placeholder = "Temperature; empty for that of the conversation";
	const value = before?.parameters.temperature?.toString() ?? "";
	const prompt = { title, placeholder, check: numberMistake, value };
	const temperature = isSampled ? await askText(prompt) : "";
	if (typeof temperature !== "string") return undefined;
	const asked = { model, temperature: temperature.trim() === "" ? undefined : Number(temperature) };
	return { connection: connection.id, parameters: asked };
}

/** Validates an optional number in a prompt. */
export function numberMistake(text: string): string | undefined {
	return text.trim() === "" || Number.isFinite(Number(text)) ? undefined : "Enter a number, or nothing.";
}

/** Message of a call, by default the last one of that role. */
function messageOf(
	given: { readonly message?: string } | undefined,
	session: ChatSession,
	role?: Entry["role"],
): string {
	const last = session.entries.findLast((entry) => role === undefined || entry.role === role);
	const id = given?.message ?? last?.id;
	if (id === undefined) throw invalid("messages", "message", "is missing: the conversation has none yet");
	return id;
}

import type { ToolDefinition } from "#api/messages/model.ts";
import type { Attachment } from "#app/chat/attachments.ts";
import type { Entry, ReplyEntry } from "#app/chat/conversation.ts";
import { costOfReplies } from "#app/chat/parts.ts";
import type { ReplyParts } from "#app/chat/reply-under-way.ts";
import { nextTurn, requestTokens } from "#app/chat/request.ts";
import { prepare } from "#app/chat/request-target.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { localDate } from "#app/usage/ledger.ts";
import { systemClock } from "#base/clock.ts";
import type { ClientError } from "#base/errors.ts";
import { confirmed } from "../kit/prompts.ts";
import { setting } from "../settings.ts";
import type { ChatRoom } from "./chat-room.ts";

/**
 * Sends or queues typed text with the attachments of the draft; `now` stops a reply under way and sends it.
 * Text that may not be sent stays in the composer.
 */
export async function say(text: string, room: ChatRoom, now = false): Promise<ReplyEntry | undefined> {
	const { active } = room.conversations;
	const { drafts } = room.store;
	// Until its attachments are there, it is a draft on the disk.
	drafts.set(active.id, { ...drafts.of(active.id), text });
	const isWhole = await room.attachments.settled(active.id);
	const isAway = room.conversations.active.id !== active.id;
	if (!isWhole && isAway) return undefined;
	if (drafts.of(active.id).text === text) drafts.set(active.id, { ...drafts.of(active.id), text: "" });
	if (!isWhole || !(await mayWrite(active, room))) return draft(text, room);
	const { attachments } = drafts.of(active.id);
	if (text.trim() === "" && attachments.length === 0) return draft("", room);
	const turn = nextTurn({ text, attachments });
	const mayGo = await mayBeSent([...active.entries, turn], active, room);
	// Another window may have taken it over during the question.
	if (!mayGo || active.isReadOnly) return draft(text, room);
	// An attachment that was added during the confirmation stays for the next message.
	const options = drafts.take(active.id, attachments);
	// The first of two Enter has sent it.
	if (text.trim() === "" && options.attachments.length === 0) return undefined;
	if (!active.busy) return active.send(text, options);
	const { id } = active.enqueue(text, options);
	if (now) await active.sendQueued(id);
	return undefined;
}

/** Adds text and attachments to the composer. */
export async function draft(
	text: string,
	{ conversations, store, panels }: ChatRoom,
	attachments: readonly Attachment[] = [],
): Promise<undefined> {
	for (const attachment of attachments) store.drafts.attach(conversations.active.id, attachment);
	await panels.tell(text.trim() === "" ? { type: "focus" } : { type: "draft", text });
	panels.composerChanged();
}

/** True if no other window writes a conversation, or the person takes it over. */
export async function mayWrite(session: ChatSession, { store }: ChatRoom): Promise<boolean> {
	if (!session.isReadOnly) return true;
	const question = "This conversation is open in another window.";
	const detail = "The other window will follow it. A reply that arrives there is stopped.";
	if (await confirmed(question, "Continue Here", detail)) await store.continueHere(session);
	return !session.isReadOnly;
}

/** Limits that the person has allowed a conversation to pass: its own by its id, a connection's for a day. */
const passed = new Set<string>();

/** True if a request with these entries is within the budget and the cost limits, or the person confirms it. */
export async function mayBeSent(entries: readonly Entry[], session: ChatSession, room: ChatRoom, connection?: string) {
	if (!(await isInBudget(entries, session, room))) return false;
	return mayCost(session, room, await refusalOf(entries, session, room.parts, connection));
}

/** Cost of all versions of the replies of a conversation, see {@link costOfReplies}. */
export function costOfConversation({ state: { entries } }: ChatSession, { models }: Pick<ChatRoom, "models">) {
	return costOfReplies(entries, models.prices(entries));
}

/** True if the costs of a conversation and of its connection are within the limits, or the person allows more. */
export async function mayCost(
	session: ChatSession,
	{ models }: Pick<ChatRoom, "models">,
	refusal?: ClientError,
): Promise<boolean> {
	const { id } = session;
	const limit = setting("switchboard.chat.costLimit");
	const cost = limit === undefined ? undefined : costOfConversation(session, { models });
	const own =
		limit !== undefined && cost !== undefined && cost.amount > limit && !passed.has(id)
			? `This conversation has cost about ${cost.amount.toFixed(2)} ${cost.currency}; your limit is ${limit} ${cost.currency}.`
			: "";
	const key = `${id} ${refusal?.field} ${localDate(systemClock.now())}`;
	const ofConnection = refusal !== undefined && !passed.has(key) ? refusal.message : "";
	const question = [own, ofConnection].filter(Boolean).join(" ");
	if (question === "") return true;
	const [counted, often] = ofConnection
		? ["A reply counts as its longest until it ends.", "once a day"]
		: ["Every version of a reply counts.", "once"];
	const detail = `${counted} You are asked ${often} for each conversation in this window.`;
	const isMeant = await confirmed(`${question} Send anyway?`, "Allow for This Conversation", detail);
	if (isMeant && own !== "") passed.add(id);
	if (isMeant && ofConnection !== "") passed.add(key);
	return isMeant;
}

/** Refusal of a request with these entries by a limit of the connection of that id, or that of the next message. */
async function refusalOf(after: readonly Entry[], session: ChatSession, parts: ReplyParts, id?: string) {
	const connection = (id && parts.registry.get(id, "messages")) || session.target.connection;
	if (connection?.limits === undefined) return undefined;
	const wanted = { id: "", after, connection: connection.id, own: {}, continues: false };
	const { request } = prepare(wanted, session.facts, parts);
	return parts.budget?.refusalOf({ connection, request, caller: "" });
}

/** Estimated tokens of a request with these entries, and the instructions and tools of the conversation. */
export function sizeOfRequest(
	entries: readonly Entry[],
	session: ChatSession,
	room: Pick<ChatRoom, "models" | "tools">,
): number {
	const { system = setting("switchboard.chat.systemPrompt") } = session.facts.parameters ?? {};
	return requestTokens(entries, system, offeredTools(session, room));
}

/** Tools that go along with the next message of a conversation. */
export function offeredTools(
	{ facts, target: { connection, model } }: ChatSession,
	{ models, tools }: Pick<ChatRoom, "models" | "tools">,
): readonly ToolDefinition[] {
	return models.capabilities(connection, model).tools ? tools.offered(facts, connection) : [];
}

async function isInBudget(entries: readonly Entry[], session: ChatSession, room: ChatRoom): Promise<boolean> {
	const tokens = sizeOfRequest(entries, session, room);
	const budget = setting("switchboard.chat.contextBudget");
	if (tokens <= budget) return true;
	const count = (number: number) => number.toLocaleString("en");
	const words = `This request is about ${count(tokens)} tokens; your budget is ${count(budget)}.`;
	return confirmed(words, "Send Anyway", "The service may refuse it, or charge for all of it.");
}

/** True if a reply may be requested again or continued, see {@link mayBeSent}. */
export async function mayBeAsked(
	session: ChatSession,
	reply: string,
	room: ChatRoom,
	how: "again" | "further" = "again",
	connection?: string,
): Promise<boolean> {
	const way = session.tree.lineage(reply);
	const own = way.findLast((entry) => entry.role === "assistant")?.connectionId;
	return mayBeSent(how === "again" ? way.slice(0, -1) : way, session, room, connection ?? own);
}

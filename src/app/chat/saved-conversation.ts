import type { Reply } from "#api/messages/model.ts";
import type { ConversationState, Entry, ReplyEntry } from "./conversation.ts";
import type { SavedEnd } from "./journal.ts";
import { restoredReply } from "./saved-reply.ts";

/** A conversation of the first format: one JSON file that was written anew with every change. */
export interface OldConversation extends ConversationState {
	readonly id: string;
}

const VERSION = 1;

/**
 * Reads a conversation of the first format, in which replies stood in a row: one that was asked for again is a version of
 * the one that took its place. Throws for anything else.
 */
export function decodeOldConversation(text: string): OldConversation {
	const value: unknown = JSON.parse(text);
	if (!isSaved(value)) throw new Error("it is not a conversation of the first format");
	const entries: Entry[] = [];
	let parent: string | null = null;
	for (const saved of value.entries) {
		const isTurn = saved.role === "user";
		if (isTurn) entries.push({ role: "user", id: saved.id, parent, text: saved.text, attachments: [], at: 0 });
		else entries.push(replyOf(saved, parent ?? ""));
		if (isTurn || saved.superseded !== true) parent = saved.id;
	}
	return { id: value.id, entries, chosen: [], facts: {} };
}

interface OldFile {
	readonly v: number;
	readonly id: string;
	readonly entries: readonly (OldTurn | OldReply)[];
}

interface OldTurn {
	readonly role: "user";
	readonly id: string;
	readonly text: string;
}

/** Milliseconds. */
interface OldReply
	extends Pick<ReplyEntry, "role" | "id" | "connectionId" | "connection" | "model" | "parameters">,
		Partial<Pick<SavedEnd, "firstTextMs" | "thoughtMs">> {
	readonly reply?: Partial<Reply>;
	readonly ended?: Pick<SavedEnd, "outcome" | "requests" | "durationMs" | "error"> | null;
	readonly superseded?: boolean;
}

function replyOf(saved: OldReply, parent: string): ReplyEntry {
	const { id, connectionId, connection, model, parameters = {}, reply = {}, ended, firstTextMs, thoughtMs } = saved;
	const { id: messageId = null, role = null, stopReason = null, stopSequence = null } = reply;
	const { usage = { inputTokens: null, outputTokens: null } } = reply;
	const said = { messageId, model: reply.model ?? null, role, stopReason, stopSequence, usage };
	return restoredReply(
		{ t: "reply", id, parent, continues: false, connectionId, connection, model, parameters, at: 0 },
		{
			blocks: (reply.blocks ?? []).map((block) => ({ ...block, open: false })),
			end: ended ? { ...ended, ...said, firstTextMs: firstTextMs ?? null, thoughtMs: thoughtMs ?? {} } : undefined,
		},
	);
}

/** Whether JSON has the outline of a saved conversation; the rest of it is our own hand. */
function isSaved(value: unknown): value is OldFile {
	if (typeof value !== "object" || value === null) return false;
	const { v, id, entries } = value as Record<string, unknown>;
	return v === VERSION && typeof id === "string" && Array.isArray(entries) && entries.every(isEntry);
}

function isEntry(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	const { role, id, text, connection, model } = value as Record<string, unknown>;
	if (typeof id !== "string") return false;
	return role === "user" ? typeof text === "string" : typeof connection === "string" && typeof model === "string";
}

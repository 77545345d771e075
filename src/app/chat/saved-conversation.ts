import { closeReply, emptyReply } from "#api/messages/accumulator.ts";
import type { Reply } from "#api/messages/model.ts";
import { ClientError } from "#base/errors.ts";
import type { Entry, ReplyEntry, Turn } from "./conversation.ts";

/** A conversation as it was found on the disk. */
export interface FoundConversation {
	readonly id: string;
	readonly entries: readonly Entry[];
}

const VERSION = 1;

/**
 * A conversation as plain JSON, for {@link decodeConversation}. Times become durations, for the clock they were read
 * from ends with the window.
 */
export function encodeConversation(id: string, entries: readonly Entry[]): object {
	const kept = entries.map((entry) => (entry.role === "user" ? entry : savedReply(entry)));
	return { v: VERSION, id, entries: kept } satisfies SavedConversation;
}

/** Reads the text of what {@link encodeConversation} gave; a reply that was under way comes back as interrupted. Throws otherwise. */
export function decodeConversation(text: string): FoundConversation {
	const value: unknown = JSON.parse(text);
	if (!isSaved(value)) throw new Error("it is not a conversation of this version");
	return {
		id: value.id,
		entries: value.entries.map((entry) => (entry.role === "user" ? entry : restoredReply(entry))),
	};
}

interface SavedConversation {
	readonly v: number;
	readonly id: string;
	readonly entries: readonly (Turn | SavedReply)[];
}

/** What is kept of a reply. Milliseconds. */
interface SavedReply
	extends Omit<ReplyEntry, "ended" | "progress" | "startedAt" | "firstTextAt" | "silentSince" | "thoughts"> {
	readonly firstTextMs: number | null;
	/** How long each thinking block took, by its key; absent in what the first versions wrote. */
	readonly thoughtMs?: Readonly<Record<string, number>>;
	readonly ended: {
		readonly outcome: NonNullable<ReplyEntry["ended"]>["outcome"];
		readonly requests: number;
		readonly durationMs: number;
		readonly error: SavedError | null;
	} | null;
}

type SavedError = Pick<ClientError, "service" | "code" | "message" | "status" | "retryAfterMs" | "requestId" | "field">;

function savedReply(entry: ReplyEntry): SavedReply {
	const { ended, progress: _progress, startedAt, firstTextAt, silentSince: _silentSince, thoughts, ...kept } = entry;
	const end = ended && {
		outcome: ended.outcome,
		requests: ended.requests,
		durationMs: ended.at - startedAt,
		error: ended.error === undefined ? null : savedError(ended.error),
	};
	return {
		...kept,
		firstTextMs: firstTextAt === undefined ? null : firstTextAt - startedAt,
		thoughtMs: mapped(thoughts, (thought) => thought.lastAt - thought.startedAt),
		ended: end ?? null,
	};
}

function savedError({ service, code, message, status, retryAfterMs, requestId, field }: ClientError): SavedError {
	return { service, code, message, status, retryAfterMs, requestId, field };
}

function restoredReply({ firstTextMs, thoughtMs, ended, reply, ...kept }: SavedReply): ReplyEntry {
	const closed: Reply = closeReply({ ...emptyReply, ...reply });
	return {
		...kept,
		reply: closed,
		progress: { name: "streaming" },
		startedAt: 0,
		firstTextAt: firstTextMs ?? undefined,
		thoughts: mapped(thoughtMs ?? {}, (ms) => ({ startedAt: 0, lastAt: ms })),
		silentSince: undefined,
		ended: {
			reply: closed,
			outcome: ended?.outcome ?? "interrupted",
			requests: ended?.requests ?? 0,
			at: ended?.durationMs ?? 0,
			...errorOf(ended),
		},
	};
}

function mapped<A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
	return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

function errorOf(ended: SavedReply["ended"]): { readonly error?: ClientError } {
	if (ended === null) {
		return { error: new ClientError("messages", "interrupted", "The window was closed before the reply had ended") };
	}
	if (ended.error === null) return {};
	const { service, code, message, ...facts } = ended.error;
	const known = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined));
	return { error: new ClientError(service, code, message, known) };
}

/** Whether JSON has the outline of a saved conversation; the rest of it is our own hand. */
function isSaved(value: unknown): value is SavedConversation {
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

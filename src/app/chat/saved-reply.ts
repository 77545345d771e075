import { emptyReply } from "#api/messages/accumulator.ts";
import type { Block, Reply } from "#api/messages/model.ts";
import { ClientError } from "#base/errors.ts";
import type { Entry, ReplyEntry, Turn } from "./conversation.ts";
import type { JournalRecord, ReplyRecord, SavedEnd, SavedError, TurnRecord } from "./journal.ts";

/** The records that say all of an entry. */
export function recordsOf(entry: Entry): JournalRecord[] {
	if (entry.role === "user") return [turnRecord(entry)];
	const texts = (entry.reply?.blocks ?? []).map(({ key, index, type, text }) => ({
		...({ t: "text", reply: entry.id, at: 0 } as const),
		...{ key, index, type, text },
	}));
	return [replyRecord(entry), ...texts, ...(entry.ended === undefined ? [] : [endRecord(entry, entry.ended)])];
}

/** Record of the person's turn. */
export function turnRecord({ id, parent, text, attachments, at }: Turn): TurnRecord {
	return { t: "turn", id, parent, text, attachments, at };
}

/** Record of a reply that has been asked for. */
export function replyRecord(entry: ReplyEntry): ReplyRecord {
	const { id, parent, continues, connectionId, connection, model, parameters, at } = entry;
	return { t: "reply", id, parent, continues, connectionId, connection, model, parameters, at };
}

/** Record of the end of a reply. */
export function endRecord(
	{ id, startedAt, firstTextAt, thoughts }: ReplyEntry,
	{ reply, outcome, requests, at, error }: NonNullable<ReplyEntry["ended"]>,
): JournalRecord & { readonly t: "end" } {
	const { id: messageId, model, role, stopReason, stopSequence, usage } = reply;
	return {
		...({ t: "end", reply: id, outcome, requests, durationMs: at - startedAt } as const),
		firstTextMs: firstTextAt === undefined ? null : firstTextAt - startedAt,
		thoughtMs: mapped(thoughts, (thought) => thought.lastAt - thought.startedAt),
		...{ messageId, model, role, stopReason, stopSequence, usage },
		error: error === undefined ? null : savedError(error),
	};
}

function savedError(error: ClientError): SavedError {
	const { service, code, message, status, retryAfterMs, requestId, field, isGateway } = error;
	return { service, code, message, status, retryAfterMs, requestId, field, isGateway };
}

/**
 * A reply as it was, on a clock of its own that begins with it. Without an end it was cut off, unless it is `running`
 * since that time on the monotonic clock: in another window, which is still there.
 */
export function restoredReply(
	{ t: _t, ...asked }: ReplyRecord,
	{ blocks, end, running }: { blocks: readonly Block[]; end: SavedEnd | undefined; running?: number | undefined },
): ReplyEntry {
	const { messageId = null, model = null, role = null, stopReason = null, stopSequence = null } = end ?? {};
	const { unstarted: _unstarted, touched: _touched, ...empty } = emptyReply;
	const usage = end?.usage ?? empty.usage;
	const reply: Reply = {
		...empty,
		...{ id: messageId, model, role, stopReason, stopSequence, usage },
		blocks: blocks.toSorted((a, b) => a.index - b.index),
		finished: end?.outcome === "complete",
	};
	const ended = {
		...{ reply, outcome: end?.outcome ?? "interrupted", requests: end?.requests ?? 0, at: end?.durationMs ?? 0 },
		...errorOf(end),
	} as const;
	return {
		...asked,
		role: "assistant",
		reply,
		progress: { name: "streaming" },
		startedAt: running ?? 0,
		firstTextAt: end?.firstTextMs ?? undefined,
		thoughts: mapped(end?.thoughtMs ?? {}, (ms) => ({ startedAt: 0, lastAt: ms })),
		silentSince: undefined,
		ended: running === undefined ? ended : undefined,
	};
}

/** The field of the error that stands for an end that never was written down. */
const UNWRITTEN = "end";

/** True if a reply has no end because its window was gone; the service is not to blame. */
export function isUnwritten({ code, field }: ClientError): boolean {
	return code === "interrupted" && field === UNWRITTEN;
}

function errorOf(end: SavedEnd | undefined): { readonly error?: ClientError } {
	if (end === undefined) {
		const sentence = "The window was closed before the reply had ended";
		return { error: new ClientError("messages", "interrupted", sentence, { field: UNWRITTEN }) };
	}
	if (end.error === null || end.error === undefined) return {};
	const { service, code, message, ...facts } = end.error;
	const known = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined && fact !== null));
	return { error: new ClientError(service, code, message, known) };
}

function mapped<A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
	return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

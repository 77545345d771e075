import { emptyReply } from "#api/messages/accumulator.ts";
import type { Block, Reply } from "#api/messages/model.ts";
import { ClientError } from "#base/errors.ts";
import type { ReplyEntry, ToolCall } from "./conversation.ts";
import type { RecordOf } from "./journal.ts";

type SavedEnd = Omit<RecordOf<"end">, "t" | "reply">;

/** Record of the end of a reply. */
export function endRecord(
	{ id, startedAt, firstTextAt, thoughts, without }: ReplyEntry,
	{ reply, outcome, requests, at, error, spent }: NonNullable<ReplyEntry["ended"]>,
): RecordOf<"end"> {
	const { id: messageId, model, role, stopReason, stopSequence, explanation, usage } = reply;
	return {
		t: "end",
		reply: id,
		outcome,
		requests,
		durationMs: at - startedAt,
		firstTextMs: firstTextAt === undefined ? null : firstTextAt - startedAt,
		thoughtMs: mapped(thoughts, (thought) => thought.lastAt - thought.startedAt),
		messageId,
		model,
		role,
		stopReason,
		stopSequence,
		usage,
		...(explanation !== undefined && { explanation }),
		error: error === undefined ? null : savedError(error),
		...(spent && { spent }),
		...(without && { without }),
	};
}

function savedError(error: ClientError): SavedEnd["error"] {
	const { service, code, message, status, retryAfterMs, requestId, field, isGateway, said } = error;
	return { service, code, message, status, retryAfterMs, requestId, field, isGateway, said };
}

interface SavedReply {
	readonly blocks: readonly Block[];
	readonly calls: readonly ToolCall[];
	readonly end: SavedEnd | undefined;
	readonly running?: number | undefined;
}

/** Restores a reply on a clock that begins with it; without an end it was cut off, unless it is still `running`. */
export function restoredReply(asked: Omit<RecordOf<"reply">, "t">, { running, ...saved }: SavedReply): ReplyEntry {
	const { blocks, calls, end } = saved;
	const { messageId = null, model = null, role = null, stopReason = null, stopSequence = null } = end ?? {};
	const { outcome = "interrupted", requests = 0, durationMs: at = 0, spent, explanation } = end ?? {};
	const { notes, usage, error } = emptyReply;
	const reply: Reply = {
		id: messageId,
		model,
		role,
		blocks: blocks.toSorted((a, b) => a.index - b.index),
		stopReason,
		stopSequence,
		...(explanation !== undefined && { explanation }),
		usage: end?.usage ?? usage,
		finished: outcome === "complete",
		error,
		notes,
	};
	const ended = { reply, outcome, requests, at, spent, ...errorOf(end) };
	return {
		...asked,
		without: end?.without,
		role: "assistant",
		reply,
		progress: { name: "streaming" },
		startedAt: running ?? 0,
		firstTextAt: end?.firstTextMs ?? undefined,
		thoughts: mapped(end?.thoughtMs ?? {}, (ms: number) => ({ startedAt: 0, lastAt: ms })),
		silentSince: undefined,
		ended: running === undefined ? ended : undefined,
		calls: running === undefined ? endedCalls(saved) : calls,
	};
}

/** Ends the calls of a stored reply. Calls that were not read yet are never run. */
function endedCalls({ blocks, calls, end }: SavedReply) {
	const unread = blocks.flatMap(({ key, tool }): ToolCall[] => {
		if (end !== undefined || tool === undefined || calls.some((call) => call.key === key)) return [];
		const { name } = tool;
		// Without an id: its input may be incomplete, and is not sent again.
		return [{ key, id: "", name, title: name, icon: "tools", state: "refused", result: NOT_RUN }];
	});
	const known = calls.map((call): ToolCall => {
		if (call.state === "running") return { ...call, state: "interrupted", result: LOST };
		const isOpen = call.state === "waiting" || call.state === "asking";
		return isOpen ? { ...call, state: "refused", result: NOT_RUN } : call;
	});
	return [...known, ...unread];
}

/** True for a call that waited for an approval when its window closed. */
export function isUnanswered({ result, scope }: ToolCall): boolean {
	return result === NOT_RUN && scope !== undefined;
}

const NOT_RUN = "The window was closed before this call was run.";
const LOST = "The window was closed before this call had ended: what came of it is not known.";

/** Error field of an end that was never written. */
const UNWRITTEN = "end";

/** True if a reply has no end because its window closed. */
export function isUnwritten({ code, field }: ClientError): boolean {
	return code === "interrupted" && field === UNWRITTEN;
}

function errorOf(end: SavedEnd | undefined): { readonly error?: ClientError } {
	if (end === undefined) {
		const sentence = "The window was closed before the reply had ended";
		return { error: new ClientError("messages", "interrupted", sentence, { field: UNWRITTEN }) };
	}
	if (end.error === null) return {};
	const { service, code, message, ...facts } = end.error;
	return { error: new ClientError(service, code, message, facts) };
}

function mapped<A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
	return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

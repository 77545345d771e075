import { ClientError, type ErrorCode, invalid, type Service } from "#base/errors.ts";
import type { Attachment, AttachmentKind, ConversationState, Entry, WaitingTurn } from "./conversation.ts";
import { EXPORT_FORMAT } from "./export-conversation.ts";
import { MOST_MS, type SavedEnd } from "./journal.ts";
import { type ChatParameters, decodeSendArguments } from "./parameters.ts";
import { restoredReply } from "./saved-reply.ts";

/** Reads a value that stands at that place. Throws `invalid` naming the place. */
type Read<T> = (value: unknown, place: string) => T;

/** Reads what was exported. Throws `invalid` naming the field, such as `messages[3].parent`. */
export function importJson(json: string): ConversationState {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw refuse("text", "is not JSON");
	}
	const { messages, chosen, facts, queue } = whole(value, "");
	if (messages.length === 0) throw refuse("messages", "is empty: there is nothing to import");
	const entries = new Map<string, Entry>();
	for (const [n, { id, parent, text: said, attachments, at, ...message }] of messages.entries()) {
		const place = `messages[${n}]`;
		if (entries.has(id)) throw refuse(`${place}.id`, "is that of an earlier message");
		if (parent !== null && !entries.has(parent)) {
			throw refuse(`${place}.parent`, "must be the id of an earlier message");
		}
		if (message.role === "user") {
			if (said === null) throw refuse(`${place}.text`, "is missing");
			entries.set(id, { role: "user", id, parent, text: said, attachments, at });
			continue;
		}
		if (parent === null) throw refuse(`${place}.parent`, "is missing");
		const { role: _role, blocks, end, ...asked } = message;
		// Of two texts under one key the journal would keep the second.
		const keys = new Set<string>();
		const again = blocks.findIndex(({ key }) => keys.size === keys.add(key).size);
		if (again >= 0) throw refuse(`${place}.blocks[${again}].key`, "is that of an earlier block");
		const kept = blocks.map((block, at) => ({ ...block, index: block.index ?? at, open: false }));
		const reply = { ...asked, ...({ t: "reply", id, parent, at, connectionId: undefined } as const) };
		entries.set(id, restoredReply(reply, { blocks: kept, end }));
	}
	const ids = new Set(entries.keys());
	for (const [n, { id }] of queue.entries()) {
		if (ids.size === ids.add(id).size) throw refuse(`queue[${n}].id`, "is that of an earlier message");
	}
	return {
		entries: [...entries.values()],
		chosen: chosen.filter((id) => entries.has(id)),
		facts: { ...present(facts), ...(queue.length === 0 ? {} : { queue }) },
	};
}

const text = plain("must be a text", (value) => typeof value === "string");
const flag = plain("must be true or false", (value) => typeof value === "boolean");
const count = plain(
	`must be a number from 0 to ${MOST_MS}`,
	(value): value is number => typeof value === "number" && value >= 0 && value <= MOST_MS,
);
const object = plain(
	"must be an object",
	(value): value is Readonly<Record<string, unknown>> =>
		typeof value === "object" && value !== null && !Array.isArray(value),
);

/** They are those of a send, and go into requests as they are. */
const parameters: Read<ChatParameters> = (value, place) => {
	try {
		return decodeSendArguments({ ...object(value, place), text: "-" }).parameters;
	} catch (error) {
		if (!(error instanceof ClientError) || error.field === undefined || error.field === place) throw error;
		throw refuse(`${place}.${error.field}`, error.message.slice(error.field.length + 1));
	}
};

const kinds = ["selection", "file", "problems", "diff", "issue", "issues", "pet", "order"] as const;
const attachment = fields<Omit<Attachment, "source" | "language"> & { source: string | null; language: string | null }>(
	{
		...{ id: text, kind: oneOf<AttachmentKind>(...kinds), label: text, text },
		...{ source: or(text, null), language: or(text, null) },
	},
);

const code = oneOf<ErrorCode>(
	...(["aborted", "network", "timeout", "stalled", "unauthorized", "forbidden", "not-found", "invalid"] as const),
	...(["rate-limited", "overloaded", "server", "malformed", "interrupted"] as const),
);
const failure = fields({
	...{ service: oneOf<Service>("messages", "codehost", "petstore"), code, message: text, field: or(text, null) },
	...{ status: or(count, null), retryAfterMs: or(count, null), requestId: or(text, null) },
});

const end = fields<SavedEnd>({
	outcome: oneOf("complete", "truncated", "stop-sequence", "refused", "stopped", "interrupted", "stalled", "failed"),
	...{ requests: or(count, 0), durationMs: or(count, 0), firstTextMs: or(count, null), thoughtMs: or(each(count), {}) },
	...{ messageId: or(text, null), model: or(text, null), role: or(text, null) },
	...{ stopReason: or(text, null), stopSequence: or(text, null) },
	usage: or(fields({ inputTokens: or(count, null), outputTokens: or(count, null) }), {
		...{ inputTokens: null, outputTokens: null },
	}),
	error: or((value, place) => present(failure(value, place)), null),
});

const attachments = or(
	list<Attachment>((value, place) => present(attachment(value, place))),
	[],
);

const message = fields({
	...{ role: oneOf("user", "assistant"), id: text, parent: or(text, null), at: or(count, 0), text: or(text, null) },
	attachments,
	...{ continues: or(flag, false), connection: or(text, ""), model: or(text, ""), parameters: or(parameters, {}) },
	blocks: or(list(fields({ key: text, index: or(count, null), type: or(text, "text"), text })), []),
	end: or(end, undefined),
});

const waiting = fields({ id: text, text, after: or(text, null), attachments, parameters: or(parameters, {}) });

const whole = fields({
	...{ format: oneOf(EXPORT_FORMAT), version: plain("must be 1", (value): value is 1 => value === 1) },
	...{ messages: list(message), chosen: or(list(text), []) },
	queue: or(
		list<WaitingTurn>((value, place) => present(waiting(value, place))),
		[],
	),
	// A connection of somebody else's is none of ours.
	facts: or(fields({ title: or(text, null), pinned: or(flag, null), parameters: or(parameters, null) }), {
		...{ title: null, pinned: null, parameters: null },
	}),
});

function plain<T>(rule: string, is: (value: unknown) => value is T): Read<T> {
	return (value, place) => {
		if (value === undefined || value === null) throw refuse(place, "is missing");
		if (!is(value)) throw refuse(place, rule);
		return value;
	};
}

function oneOf<T extends string>(...names: readonly T[]): Read<T> {
	const known: readonly unknown[] = names;
	return plain(`must be one of ${names.join(", ")}`, (value): value is T => known.includes(value));
}

/** Where there is nothing, something else. */
function or<T, D>(read: Read<T>, otherwise: D): Read<T | D> {
	return (value, place) => (value === undefined || value === null ? otherwise : read(value, place));
}

function list<T>(read: Read<T>): Read<readonly T[]> {
	const array = plain("must be a list", (value): value is readonly unknown[] => Array.isArray(value));
	return (value, place) => array(value, place).map((item, n) => read(item, `${place}[${n}]`));
}

/** An object with any names. */
function each<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
	return (value, place) =>
		Object.fromEntries(
			Object.entries(object(value, place)).map(([name, part]) => [name, read(part, `${place}.${name}`)]),
		);
}

function fields<T>(shape: { readonly [K in keyof T]: Read<T[K]> }): Read<T> {
	return (value, place) => {
		const given = object(value, place === "" ? "text" : place);
		const result: Partial<T> = {};
		for (const name in shape) result[name] = shape[name](given[name], place === "" ? name : `${place}.${name}`);
		// Every field of the shape was read.
		return result as T;
	};
}

/** Without the fields that are null. */
function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], null> } {
	const entries = Object.entries(value).filter(([, part]) => part !== null);
	// What was null is absent, which the types of a conversation allow for these.
	return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> };
}

function refuse(place: string, rule: string): ClientError {
	return invalid("messages", place, rule);
}

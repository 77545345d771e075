import type { MessagesRequest } from "#api/messages/model.ts";
import type { MessagesConnection } from "../connections/connection.ts";
import { type ConversationFacts, type Entry, inputMessages, type ReplyEntry } from "./conversation.ts";
import type { ChatParameters } from "./parameters.ts";
import type { ReplyParts } from "./reply-under-way.ts";

/** What decides where a message goes, and with what. */
export interface TargetParts extends ReplyParts {
	/** The parameters of the settings, read at each send. */
	readonly defaults: () => ChatParameters;
	/** The connection to ask where neither a send nor the conversation has one of its own. */
	readonly chosen: () => MessagesConnection | undefined;
}

/** Where a message goes. An empty model is none. */
export interface Target {
	readonly connection: MessagesConnection | undefined;
	readonly model: string;
}

/**
 * Where the next message of a conversation goes: its own connection, else the one that was asked last, else the one
 * chosen in the window. One that is there no more is passed over.
 */
export function targetOf(
	{ facts, entries }: { readonly facts: ConversationFacts; readonly entries: readonly Entry[] },
	{ registry, chosen, defaults }: TargetParts,
): Target {
	const last = entries.findLast((entry) => entry.role === "assistant");
	const ids = [facts.connection, last?.connectionId].filter((id) => id !== undefined);
	const own = ids.map((id) => registry.get(id, "messages")).find((each) => each !== undefined);
	const connection = own ?? chosen();
	return { connection, model: facts.parameters?.model ?? connection?.model ?? defaults().model ?? "" };
}

/** A reply that is wanted. */
export interface Wanted {
	readonly id: string;
	/** The way to what it follows, that included. */
	readonly after: readonly Entry[];
	readonly connection: string | undefined;
	/** What it is asked for with; before the conversation's own, and those before the settings. */
	readonly own: ChatParameters;
	readonly continues: boolean;
}

/** The entry of a reply of which nothing has come yet, and the request for it. */
export function prepare(
	{ id, after, connection: connectionId, own, continues }: Wanted,
	{ parameters: held = {} }: ConversationFacts,
	{ registry, clock, defaults }: TargetParts,
): {
	readonly entry: ReplyEntry;
	readonly request: MessagesRequest;
	readonly connection: MessagesConnection | undefined;
} {
	const connection = connectionId === undefined ? undefined : registry.get(connectionId, "messages");
	const settings = defaults();
	const asked: ChatParameters = { ...settings, ...definedOnly(held), ...definedOnly(own) };
	const model = own.model ?? held.model ?? connection?.model ?? settings.model ?? "";
	const entry: ReplyEntry = {
		role: "assistant",
		id,
		parent: after.at(-1)?.id ?? "",
		continues,
		at: clock.now(),
		connectionId,
		connection: connection?.label ?? "",
		model,
		parameters: own,
		reply: undefined,
		progress: { name: "waiting" },
		startedAt: clock.monotonic(),
		firstTextAt: undefined,
		thoughts: {},
		silentSince: undefined,
		ended: undefined,
	};
	const messages = inputMessages(after);
	return { entry, request: { ...asked, model, messages, maxTokens: asked.maxTokens ?? Number.NaN }, connection };
}

/** Without what is undefined. */
export function definedOnly<T extends object>(values: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
	const defined: Partial<T> = {};
	for (const key in values) if (values[key] !== undefined) defined[key] = values[key];
	return defined;
}

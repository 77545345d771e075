import type { EndedReply, Reply } from "#api/messages/model.ts";
import type { ClientError } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import type { CallView } from "#protocol/panel.ts";
import type { Attachment, StoredImage } from "./attachments.ts";
import type { ChatParameters } from "./parameters.ts";

/** The person's turn. */
export interface Turn {
	readonly role: "user";
	readonly id: string;
	/** Id of the entry before it; null for the first. Entries with the same parent are versions of each other. */
	readonly parent: string | null;
	readonly text: string;
	readonly attachments: readonly Attachment[];
	/** Milliseconds since 1970; 0 if unknown. */
	readonly at: number;
}

/** State of a reply under way. Times are on the monotonic clock, in milliseconds. */
type ReplyProgress =
	| { readonly name: "waiting"; readonly isLocal: boolean }
	| { readonly name: "retrying"; readonly until: number; readonly attempt: number; readonly error: ClientError }
	| { readonly name: "streaming" };

/** Call of a tool by a reply. */
export interface ToolCall extends CallView {
	/** Key of its block, which holds the input. */
	readonly key: string;
	/** Id on the wire. */
	readonly id: string;
	readonly name: string;
	readonly images?: readonly StoredImage[];
}

/** Reply to the entry before it, under way or ended. */
export interface ReplyEntry {
	readonly role: "assistant";
	readonly id: string;
	/** Id of the turn it answers, or of the reply it continues. */
	readonly parent: string;
	/** True if it continues the reply before it, which was cut off or called tools. */
	readonly continues: boolean;
	/** Time of the request, in milliseconds since 1970; 0 if unknown. */
	readonly at: number;
	/** Id of its connection, for Retry. */
	readonly connectionId: string | undefined;
	/** Label of its connection. */
	readonly connection: string;
	/** Requested model; the service's own name is in `reply.model`. */
	readonly model: string;
	readonly parameters: ChatParameters;
	/** Parts of the request that the model refused, by their wire names: it was sent again without them. */
	readonly without?: readonly string[] | undefined;
	readonly reply: Reply | undefined;
	readonly progress: ReplyProgress;
	readonly startedAt: number;
	readonly firstTextAt: number | undefined;
	/** Times of the first and the last delta of its thinking blocks, by their key. */
	readonly thoughts: Readonly<Record<string, Readonly<Record<"startedAt" | "lastAt", number>>>>;
	/** Start of a silence that is long enough to be shown. */
	readonly silentSince: number | undefined;
	readonly ended: (EndedReply & { readonly at: number; readonly spent?: string | undefined }) | undefined;
	/** Tool calls, in the order of their blocks. */
	readonly calls: readonly ToolCall[];
}

/** Reply that has ended. */
export type EndedReplyEntry = ReplyEntry & { readonly ended: NonNullable<ReplyEntry["ended"]> };

/** One article of the transcript. */
export type Entry = Turn | ReplyEntry;

/** Settings of one conversation. */
export interface ConversationFacts {
	readonly title?: string;
	readonly pinned?: boolean;
	readonly connection?: string;
	/** Own parameters of the conversation. An empty model is the default. */
	readonly parameters?: ChatParameters;
	/** Names of the tools that are on; by default those of the settings. */
	readonly tools?: readonly string[];
	/** Permissions for tools to run in this conversation without a question. */
	readonly allowed?: readonly string[];
	/** Queue of a stored conversation, first the next; a session has a queue of its own. */
	readonly queue?: readonly WaitingTurn[];
}

/** Queued turn. */
export interface WaitingTurn {
	readonly id: string;
	readonly text: string;
	/** Id of the last entry on screen when it was queued: it follows the end of that branch. */
	readonly after?: string | undefined;
	readonly attachments?: readonly Attachment[] | undefined;
	readonly connection?: string | undefined;
	readonly parameters?: ChatParameters | undefined;
}

/** Stored state of a conversation. */
export interface ConversationState {
	/** Entries of all versions, oldest first. */
	readonly entries: readonly Entry[];
	/** Ids of the chosen versions, in order. */
	readonly chosen: readonly string[];
	readonly facts: ConversationFacts;
}

/** Joined text blocks of a reply. */
export function replyText(reply: Reply | undefined): string {
	return (reply?.blocks ?? []).map(({ type, text }) => (type === "text" ? text : "")).join("");
}

/** Text of a turn or a reply. */
export function entryText(entry: Entry): string {
	return entry.role === "user" ? entry.text : replyText(entry.reply);
}

/** Text of a turn, or the labels of its attachments. */
export function turnWords({ text, attachments = [] }: Pick<WaitingTurn, "text" | "attachments">): string {
	return text.trim() || attachments.map(({ label }) => label).join(", ");
}

/** The person's own title, else the first line of the first turn, at most 60 characters. */
export function conversationTitle(entries: readonly Entry[], own = ""): string {
	const first = entries.find((entry) => entry.role === "user");
	const [line = ""] = first === undefined ? [] : turnWords(first).split("\n", 1);
	return oneLine(own) || oneLine(line, 60) || "New conversation";
}

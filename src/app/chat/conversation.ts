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
	/** The entry it follows; null for the first. Entries with the same parent are versions of one another. */
	readonly parent: string | null;
	readonly text: string;
	readonly attachments: readonly Attachment[];
	/** Milliseconds since 1970; 0 where it is not known. */
	readonly at: number;
}

/** State of a reply before it has ended. Times are on the monotonic clock, in milliseconds. */
type ReplyProgress =
	| { readonly name: "waiting"; readonly isLocal: boolean }
	| { readonly name: "retrying"; readonly until: number; readonly attempt: number; readonly error: ClientError }
	| { readonly name: "streaming" };

/** Times of the first and the last delta of a thinking block. On the monotonic clock, in milliseconds. */
interface Thought {
	readonly startedAt: number;
	readonly lastAt: number;
}

/** Call of a tool by a reply. */
export interface ToolCall extends CallView {
	/** Key of its block, which holds the input. */
	readonly key: string;
	/** Id on the wire. */
	readonly id: string;
	readonly name: string;
	readonly images?: readonly StoredImage[];
}

/** A reply to the turn before it, under way or ended. */
export interface ReplyEntry {
	readonly role: "assistant";
	readonly id: string;
	/** The turn it answers, or the reply it continues. */
	readonly parent: string;
	/** True if it continues the reply before it, which was cut off. */
	readonly continues: boolean;
	/** Time of the request, in milliseconds since 1970; 0 where it is not known. */
	readonly at: number;
	/** The id of the connection asked, kept so that Retry asks the same one. */
	readonly connectionId: string | undefined;
	readonly connection: string;
	/** The model asked for; what the service says it is stands in `reply.model`. */
	readonly model: string;
	readonly parameters: ChatParameters;
	readonly reply: Reply | undefined;
	readonly progress: ReplyProgress;
	readonly startedAt: number;
	readonly firstTextAt: number | undefined;
	/** The times of its thinking blocks, by their key. */
	readonly thoughts: Readonly<Record<string, Thought>>;
	/** Start of the present silence, if it lasts long enough to be shown. */
	readonly silentSince: number | undefined;
	readonly ended: (EndedReply & { readonly at: number; readonly spent?: string | undefined }) | undefined;
	/** Calls of tools, in the order of their blocks. The reply that follows with {@link continues} answers their results. */
	readonly calls: readonly ToolCall[];
}

/** One article of the transcript. */
export type Entry = Turn | ReplyEntry;

/** Settings of one conversation: its target, its parameters, and its place in lists. */
export interface ConversationFacts {
	/** The person's own title. */
	readonly title?: string;
	readonly pinned?: boolean;
	/** The id of the connection it is held with. */
	readonly connection?: string;
	/** Model, system prompt, temperature and the like, of this conversation only. An empty model is the default's. */
	readonly parameters?: ChatParameters;
	/** Names of the tools that are on; absent where those of the settings are. */
	readonly tools?: readonly string[];
	/** Permissions for tools to run in this conversation without a question. */
	readonly allowed?: readonly string[];
	/** Queue of a stored conversation, first the next; a session has a queue of its own. */
	readonly queue?: readonly WaitingTurn[];
}

/** A turn that waits until the reply under way has ended. */
export interface WaitingTurn {
	readonly id: string;
	readonly text: string;
	/** The entry that was last on screen when it was queued: it follows that, and what has come behind it since. */
	readonly after?: string | undefined;
	readonly attachments?: readonly Attachment[] | undefined;
	readonly connection?: string | undefined;
	readonly parameters?: ChatParameters | undefined;
}

/** All there is to know of a conversation but its id. */
export interface ConversationState {
	/** Every entry, of every version, oldest first. */
	readonly entries: readonly Entry[];
	/** The ids of the versions that were brought on screen, in order. */
	readonly chosen: readonly string[];
	readonly facts: ConversationFacts;
}

/** The text of a reply that counts as the assistant's words: its text blocks in order, as they came. */
export function replyText(reply: Reply | undefined): string {
	return (reply?.blocks ?? []).map(({ type, text }) => (type === "text" ? text : "")).join("");
}

/** The words of an entry: a turn's text, or a reply's. */
export function entryText(entry: Entry): string {
	return entry.role === "user" ? entry.text : replyText(entry.reply);
}

/** Words of a turn; one without text is named by what is attached to it. */
export function turnWords({ text, attachments = [] }: Pick<WaitingTurn, "text" | "attachments">): string {
	return text.trim() || attachments.map(({ label }) => label).join(", ");
}

/** The person's own title, else the first line of the first turn in at most 60 characters; on one line. */
export function conversationTitle(entries: readonly Entry[], own = ""): string {
	const first = entries.find((entry) => entry.role === "user");
	const [line = ""] = first === undefined ? [] : turnWords(first).split("\n", 1);
	return oneLine(own) || oneLine(line, 60) || "New conversation";
}

import type { EndedReply, InputMessage, Reply } from "#api/messages/model.ts";
import type { ClientError } from "#base/errors.ts";
import type { ChatParameters } from "./parameters.ts";

/** The person's turn. */
export interface Turn {
	readonly role: "user";
	readonly id: string;
	readonly text: string;
}

/** Where a reply is before it has ended. Times are on the monotonic clock, in milliseconds. */
export type ReplyProgress =
	| { readonly name: "waiting" }
	| { readonly name: "retrying"; readonly until: number; readonly attempt: number; readonly error: ClientError }
	| { readonly name: "streaming" };

/** When a thinking block was heard of for the first time and for the last. On the monotonic clock, in milliseconds. */
export interface Thought {
	readonly startedAt: number;
	readonly lastAt: number;
}

/** A reply to the turn before it, under way or ended. */
export interface ReplyEntry {
	readonly role: "assistant";
	readonly id: string;
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
	/** When silence began to be worth telling, if it lasts. */
	readonly silentSince: number | undefined;
	readonly ended: (EndedReply & { readonly at: number }) | undefined;
	/** True once a retry has taken its place: it stays on screen and is left out of what is sent. */
	readonly superseded: boolean;
	/** True once the conversation has gone on: the reply cannot be asked for again. */
	readonly passed: boolean;
}

/** One article of the transcript. */
export type Entry = Turn | ReplyEntry;

/** The text of a reply that counts as the assistant's words: its text blocks in order, as they came. */
export function replyText(reply: Reply | undefined): string {
	if (reply === undefined) return "";
	return reply.blocks
		.filter((block) => block.type === "text")
		.map((block) => block.text)
		.join("");
}

/**
 * The conversation as a request carries it: superseded and empty replies are left out, and neighbouring turns of one
 * role are joined, because services differ on whether roles must alternate and none minds when they do.
 */
export function inputMessages(entries: readonly Entry[]): InputMessage[] {
	const messages: InputMessage[] = [];
	for (const entry of entries) {
		if (entry.role === "assistant" && entry.superseded) continue;
		const content = entry.role === "user" ? entry.text : replyText(entry.reply);
		if (content.trim() === "") continue;
		const last = messages.at(-1);
		if (last?.role === entry.role)
			messages[messages.length - 1] = { ...last, content: `${last.content}\n\n${content}` };
		else messages.push({ role: entry.role, content });
	}
	return messages;
}

/** A title from the first turn: its first line, at most 60 characters. */
export function titleOf(entries: readonly Entry[]): string {
	const first = entries.find((entry) => entry.role === "user");
	const line = first?.text.trim().split("\n", 1)[0]?.trim() ?? "";
	if (line === "") return "New conversation";
	return line.length <= 60 ? line : `${line.slice(0, 59).trimEnd()}…`;
}

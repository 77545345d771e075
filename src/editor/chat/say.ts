import * as vscode from "vscode";
import type { ReplyEntry } from "#app/chat/conversation.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import type { Drafts } from "#app/chat/drafts.ts";
import { nextTurn } from "#app/chat/request.ts";
import { mayBeSent } from "./budget-question.ts";

/** What is sent from, and kept in where it is not. */
export interface SayParts {
	readonly conversations: Conversations;
	readonly drafts: Drafts;
	/** Whether something that was chosen for a conversation is not attached yet. */
	readonly isFetching: (conversation: string) => boolean;
	/** Puts text into the composer, below what is typed there. */
	readonly draft: (text: string) => Promise<void>;
}

/**
 * Sends what a person has typed, wherever they have typed it, with what is attached to their draft. While a reply is
 * under way, it waits in the queue; what may not leave yet is put into the composer, so
 * that it is not lost. Resolves to the reply, or at once to nothing where none was asked for.
 */
export async function say(
	text: string,
	isAsked: boolean,
	{ conversations: { active }, drafts, isFetching, draft }: SayParts,
): Promise<ReplyEntry | undefined> {
	if (isFetching(active.id)) {
		// It does not leave without what belongs to it; until then it is a draft, on the disk like any other.
		await draft(text);
		void vscode.window.setStatusBarMessage("$(attach) Not sent yet: what you chose is being fetched.", 5_000);
		return undefined;
	}
	const { system } = active.facts.parameters ?? {};
	const { attachments } = drafts.of(active.id);
	const turn = nextTurn({ text, attachments });
	if (!isAsked && !(await mayBeSent([...active.entries, turn], system))) {
		await draft(text);
		return undefined;
	}
	// What was attached while the person was asked stays for the next message.
	const options = drafts.take(active.id, attachments);
	if (!active.busy) return active.send(text, options);
	active.enqueue(text, options);
	return undefined;
}

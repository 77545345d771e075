import { invalid } from "#base/errors.ts";
import type { ConversationFacts } from "./conversation.ts";
import type { Conversations } from "./conversations.ts";
import type { Drafts } from "./drafts.ts";
import type { ChatSession } from "./session.ts";

/** Creates a conversation with the path to a message. A last turn becomes the draft, whose text is returned. */
export function forkAt(
	id: string,
	session: ChatSession,
	{ conversations, drafts }: { readonly conversations: Conversations; readonly drafts: Pick<Drafts, "set"> },
) {
	const way = session.tree.lineage(id);
	const last = way.at(-1);
	if (last === undefined) throw invalid("messages", "message", "is not a message of the conversation");
	if (last.role === "assistant" && last.ended === undefined) {
		throw invalid("messages", "message", "is still being received");
	}
	const fork = conversations.create();
	const entries = last.role === "user" ? way.slice(0, -1) : way;
	const title = `Fork of ${session.title.replace(/^(?:Fork of )+/, "")}`;
	// An empty fork has no reply with a connection and a model.
	const all: ConversationFacts = entries.length === 0 ? targetFacts(session) : { ...session.facts, title };
	const { pinned: _pinned, allowed: _allowed, ...facts } = all;
	fork.begin(entries, facts);
	if (last.role === "assistant") return { session: fork, draft: undefined };
	const { text, attachments } = last;
	drafts.set(fork.id, { text, attachments });
	return { session: fork, draft: text };
}

/** Facts of a conversation with its current target. */
export function targetFacts({ facts, target: { connection, model } }: ChatSession): ConversationFacts {
	const parameters = { ...(model === "" ? {} : { model }), ...facts.parameters };
	return { ...facts, ...(connection === undefined ? {} : { connection: connection.id }), parameters };
}

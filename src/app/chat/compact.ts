import { ClientError, invalid } from "#base/errors.ts";
import { CONTRACT_CAPABILITIES } from "../connections/capabilities.ts";
import { askOnce } from "./ask-once.ts";
import { replyText } from "./conversation.ts";
import { targetFacts } from "./fork.ts";
import { inputMessages } from "./input-messages.ts";
import { openElsewhere } from "./lease.ts";
import type { ReplyParts } from "./reply-under-way.ts";
import type { ChatSession } from "./session.ts";

/** Request for a summary that the conversation can go on from. */
const SUMMARIZE =
	"Summarize our conversation so far. It goes on from your summary alone: keep the goal, every decision with its reason, names, numbers, paths and code that are still needed, and what is open. Write nothing but the summary.";

/** Marks a summary, for the person as for the model. */
const MARK = "Summary of the conversation so far:";

/**
 * Asks the model of a conversation for a summary, and begins another version of the conversation with it; the messages
 * before stay, as the version before. Resolves to the id of the turn with the summary, or to undefined once stopped.
 * Rejects with ClientError, and leaves the conversation as it was: the error of the reply; `invalid` where there is
 * nothing to summarize, the summary was cut off, or something was said meanwhile.
 */
export async function compact(
	session: ChatSession,
	parts: ReplyParts,
	signal: AbortSignal,
): Promise<string | undefined> {
	const { entries, target } = session;
	if (session.isReadOnly) throw openElsewhere();
	if (session.busy) throw invalid("messages", "conversation", "is still receiving a reply");
	if (entries.length === 0) throw invalid("messages", "conversation", "has nothing to summarize yet");
	const { connection, model } = target;
	const { images } = parts.capabilities(connection, model);
	// Without the tools, which a summary calls none of, their calls are words.
	const messages = [
		...inputMessages(entries, { ...CONTRACT_CAPABILITIES, images }),
		{ role: "user", content: SUMMARIZE },
	];
	const question = { connection: connection?.id, messages, parameters: { ...session.facts.parameters, model } };
	const { outcome, error, reply } = await askOnce(question, parts, { signal, onText: () => undefined });
	if (outcome === "stopped") return undefined;
	if (error !== undefined) throw error;
	const summary = replyText(reply).trim();
	if (outcome === "truncated") {
		const sentence = "The summary was cut off at max_tokens. Raise it in Conversation Settings, and try again.";
		throw new ClientError("messages", "invalid", sentence, { field: "maxTokens" });
	}
	if (summary === "")
		throw new ClientError("messages", "server", "The model gave no summary. Try again, or with another.");
	if (session.entries.at(-1)?.id !== entries.at(-1)?.id) {
		throw invalid("messages", "conversation", "went on meanwhile, so that the summary is behind: compact it again");
	}
	// Without a reply on screen nothing else says which model is asked next, and the first words are not its title.
	const facts = { ...targetFacts(session), title: session.title };
	const { id } = session.restart(`${MARK}\n\n${summary}`);
	session.setFacts(facts);
	return id;
}

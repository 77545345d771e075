import type { BlockDelta, EndedReply, InputMessage, Reply, ToolDefinition } from "#api/messages/model.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { CONTRACT_CAPABILITIES } from "../connections/model-capabilities.ts";
import type { MayPass } from "../usage/budget.ts";
import { type ReplyEntry, replyText } from "./conversation.ts";
import { targetFacts } from "./fork.ts";
import { inputMessages, joinTurns } from "./input-messages.ts";
import { openElsewhere } from "./leases.ts";
import type { ChatParameters } from "./parameters.ts";
import type { ReplyParts } from "./reply-under-way.ts";
import { requestReply } from "./request-reply.ts";
import type { ChatSession } from "./session.ts";

const BEGUN = "[The conversation begins with your words.]";

/** Question of a caller with a conversation of its own. */
export interface Question {
	/** Part of the product, or other extension, that asks, in words. */
	readonly caller: string;
	/** Id of a connection, if any. */
	readonly connection: string | undefined;
	readonly messages: readonly InputMessage[];
	readonly parameters?: ChatParameters;
	/** Instructions that follow those of the settings. */
	readonly system?: readonly string[];
	/** Tools, for a model that takes any. */
	readonly tools?: readonly ToolDefinition[];
	/** Choice of tools, for a model that takes one. */
	readonly toolChoice?: "auto" | "any";
}

/** Ended reply and its requested model. */
export type ModelReply = EndedReply & { readonly model: string };

/** Asks once, outside of the panel's conversations. The listener gets text without secrets. Errors are `failed` replies. */
export async function askOnce(
	{ caller, connection: id, messages, parameters: own = {}, system = [], tools = [], toolChoice }: Question,
	parts: ReplyParts,
	listener: {
		readonly signal: AbortSignal;
		readonly mayPass?: MayPass | undefined;
		readonly onText: (text: string) => void;
		/** Gets each change of a block, such as of thinking, and the reply so far. */
		readonly onBlock?: (delta: BlockDelta, reply: Reply) => void;
	},
): Promise<ModelReply> {
	const turns = joinTurns(messages);
	// Services require that the first message is the user's.
	const begun = turns[0]?.role === "assistant" ? [{ role: "user", content: BEGUN }, ...turns] : turns;
	const given = { caller, messages: begun, tools, toolChoice, system };
	const wanted = { id: "", after: [], connection: id, own, continues: false, given };
	const onText = inTurn(listener.onText);
	const { last } = await requestReply(wanted, {}, parts, {
		...listener,
		report: (now, delta) => {
			if (delta !== undefined && now.reply !== undefined) listener.onBlock?.(delta, now.reply);
			onText(now, delta);
		},
	});
	return { ...last.ended, model: last.model };
}

/** Makes one stream of a reply's text blocks: a block waits for the end of the one before, and begins after an empty line. */
function inTurn(onText: (text: string) => void) {
	const waiting = new Set<string>();
	let current: string | undefined;
	let last: string | undefined;
	const report = (key: string, text: string) => {
		onText(last === undefined || last === key ? text : `\n\n${text}`);
		last = key;
	};
	return ({ reply, ended }: ReplyEntry, delta: BlockDelta | undefined) => {
		if (delta?.block.type === "text" && delta.appended) {
			current ??= delta.block.key;
			if (current === delta.block.key) report(current, delta.appended);
			else waiting.add(delta.block.key);
		}
		const { blocks = [] } = reply ?? {};
		while (current !== undefined && (ended || !blocks.some(({ key, open }) => open && key === current))) {
			const next = blocks.find(({ key }) => waiting.delete(key));
			current = next?.key;
			if (next !== undefined) report(next.key, next.text);
		}
	};
}

const SUMMARIZE =
	"Summarize our conversation so far. It goes on from your summary alone: keep the goal, every decision with its reason, names, numbers, paths and code that are still needed, and what is open. Write nothing but the summary.";

/**
 * Asks the model of a conversation for a summary, and begins another version of the conversation with it. Resolves to the id
 * of the turn with the summary, or to undefined once stopped. Rejects with ClientError without a change: the error of the
 * reply; `invalid` if there is nothing to summarize, the summary was cut off, or the conversation went on meanwhile.
 */
export async function compact(
	session: ChatSession,
	parts: ReplyParts,
	listener: { readonly signal: AbortSignal; readonly mayPass?: MayPass | undefined },
) {
	const { entries, target } = session;
	if (session.isReadOnly) throw openElsewhere();
	if (session.busy) throw invalid("messages", "conversation", "is still receiving a reply");
	if (entries.length === 0) throw invalid("messages", "conversation", "has nothing to summarize yet");
	const { connection, model } = target;
	const { images } = parts.capabilities(connection, model);
	// Without tools, earlier calls are words.
	const history = inputMessages(entries, { ...CONTRACT_CAPABILITIES, images });
	const messages = [...history, { role: "user", content: SUMMARIZE }];
	const own = { connection: connection?.id, messages, parameters: { ...session.facts.parameters, model } };
	const question = { ...own, caller: "Compaction" };
	const { outcome, error, reply } = await askOnce(question, parts, { ...listener, onText: () => undefined });
	if (outcome === "stopped") return undefined;
	if (error !== undefined) throw error;
	const summary = replyText(reply).trim();
	if (outcome === "truncated") {
		const sentence = "The summary was cut off. Raise Reply Limit in Conversation Settings, and try again.";
		throw new ClientError("messages", "invalid", sentence, { field: "maxTokens" });
	}
	if (summary === "")
		throw new ClientError("messages", "server", "The model gave no summary. Try again, or with another.");
	if (session.entries.at(-1)?.id !== entries.at(-1)?.id) {
		throw invalid("messages", "conversation", "went on meanwhile, so that the summary is behind: compact it again");
	}
	// Without a reply on screen, the model and the title must be facts.
	const facts = { ...targetFacts(session), title: session.title };
	const { id } = session.restart(`Summary of the conversation so far:\n\n${summary}`);
	session.setFacts(facts);
	return id;
}

import type { Block } from "#api/messages/model.ts";
import type { BlockView, ConversationView, ErrorCard, MessageView, Phase, ReplyView } from "#protocol/panel.ts";
import type { DescribeEnding } from "../ports.ts";
import type { Entry, ReplyEntry } from "./conversation.ts";
import type { ChatSession } from "./session.ts";

/** What is needed to put a conversation into the panel's terms. `now` is monotonic, in milliseconds. */
export interface Lens {
	readonly now: number;
	readonly describe: DescribeEnding;
}

/** The whole conversation, for a panel that has just been built. */
export function conversationView(
	session: ChatSession,
	composer: ConversationView["composer"],
	lens: Lens,
): ConversationView {
	return {
		id: session.id,
		title: session.title,
		messages: session.entries.map((entry) => messageView(entry, lens)),
		composer,
	};
}

/** One article. */
export function messageView(entry: Entry, lens: Lens): MessageView {
	if (entry.role === "user") return { role: "user", id: entry.id, text: entry.text };
	return { ...replyView(entry, lens), blocks: entry.reply?.blocks.map((block) => blockView(block, entry)) ?? [] };
}

/** A reply without its blocks. */
export function replyView(entry: ReplyEntry, lens: Lens): Omit<ReplyView, "blocks"> {
	return {
		role: "assistant",
		id: entry.id,
		model: entry.reply?.model ?? entry.model,
		connection: entry.connection,
		phase: phaseOf(entry, lens),
		usage: entry.reply?.usage ?? { inputTokens: null, outputTokens: null },
		...(entry.firstTextAt === undefined ? {} : { firstTextMs: entry.firstTextAt - entry.startedAt }),
	};
}

function blockView({ key, index, type, text, open }: Block, entry: ReplyEntry): BlockView {
	const thoughtMs = thoughtMsOf(entry, key);
	return { key, index, type, text, open, ...(thoughtMs === undefined ? {} : { thoughtMs }) };
}

/** How long a thinking block has taken, as far as is known; undefined for every other block. */
export function thoughtMsOf({ thoughts }: ReplyEntry, key: string): number | undefined {
	const thought = thoughts[key];
	return thought === undefined ? undefined : thought.lastAt - thought.startedAt;
}

function phaseOf(entry: ReplyEntry, { now, describe }: Lens): Phase {
	const { ended, progress } = entry;
	if (ended !== undefined) {
		const error = describe(ended, entry);
		return {
			name: "ended",
			outcome: ended.outcome,
			durationMs: ended.at - entry.startedAt,
			...(ended.reply.stopSequence === null ? {} : { stopSequence: ended.reply.stopSequence }),
			...(error === undefined ? {} : { error: entry.passed ? withoutRetry(error) : error }),
		};
	}
	if (progress.name === "retrying") {
		const { status, code } = progress.error;
		const reason = status === undefined ? code : String(status);
		return { name: "retrying", inMs: Math.max(0, progress.until - now), attempt: progress.attempt, reason };
	}
	return {
		name: progress.name,
		elapsedMs: now - entry.startedAt,
		...(entry.silentSince === undefined ? {} : { silentMs: now - entry.silentSince }),
	};
}

/** Every button but the log's asks for the reply again; once the conversation has gone on, that is over. */
function withoutRetry(card: ErrorCard): ErrorCard {
	return { ...card, actions: card.actions.filter((action) => action === "show-log") };
}

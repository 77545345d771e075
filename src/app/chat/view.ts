import type { Block } from "#api/messages/model.ts";
import { oneLine } from "#base/one-line.ts";
import type {
	BlockView,
	CallView,
	ConversationView,
	ErrorCard,
	MessageView,
	Phase,
	QueuedView,
	ReplyView,
	VersionsView,
} from "#protocol/panel.ts";
import { SWITCHES } from "../connections/model-capabilities.ts";
import type { DescribeEnding } from "../ports.ts";
import { attachmentView } from "./attachments.ts";
import { type Entry, type ReplyEntry, turnWords } from "./conversation.ts";
import { isRest, joinedBlocks, ownBlocks, partsOf, usageOf, versionsOf } from "./parts.ts";
import { definedOnly } from "./request-target.ts";
import type { ChatSession } from "./session.ts";
import { withoutMark } from "./tool-box.ts";

/** Context of views. `now` is monotonic, in milliseconds. */
export interface Lens {
	readonly now: number;
	readonly describe: DescribeEnding;
	readonly session: Pick<ChatSession, "entries" | "tree">;
}

/** View of a whole conversation. */
export function conversationView(session: ChatSession, composer: ConversationView["composer"], lens: Lens) {
	return {
		id: session.id,
		messages: session.entries.flatMap((entry, at, all) => (isRest(all, at) ? [] : [messageView(entry, lens)])),
		composer,
		...(session.queue.length === 0 ? {} : { queue: queueView(session) }),
	};
}

/** View of the queue. */
export function queueView({ queue }: Pick<ChatSession, "queue">): QueuedView[] {
	return queue.map((turn) => ({ id: turn.id, text: turnWords(turn) }));
}

/** View of an entry. */
export function messageView(entry: Entry, lens: Lens): MessageView {
	if (entry.role === "user") {
		const { role, id, text } = entry;
		const attachments = entry.attachments.map(attachmentView);
		const chips = attachments.length === 0 ? {} : { attachments };
		return { role, id, text, ...timeOf(entry), ...shownVersions(entry, lens), ...chips };
	}
	const blocksOf = (part: ReplyEntry) =>
		ownBlocks(part).map((block) => {
			const { key, index, type, text, open } = block;
			return { key, index, type, text, open, ...blockFacts(block, part) };
		});
	return { ...replyView(entry, lens), blocks: joinedBlocks(together(entry, lens), blocksOf) };
}

/** View of a reply without its blocks, under the id of its first part. */
export function replyView(entry: ReplyEntry, lens: Lens): Omit<ReplyView, "blocks"> {
	const parts = together(entry, lens);
	const first = parts[0] ?? entry;
	const earlier = parts.slice(0, -1).map(({ ended, startedAt }) => (ended?.at ?? startedAt) - startedAt);
	const earlierMs = earlier.reduce((all, ms) => all + ms, 0);
	// Parts without a model of the service add no name.
	const heard = parts.filter(({ reply }) => typeof reply?.model === "string");
	const without = new Set(parts.flatMap((part) => part.without ?? []));
	return {
		role: "assistant",
		id: first.id,
		...timeOf(first),
		...shownVersions(first, lens),
		model: names(heard.length === 0 ? parts : heard, ({ reply, model: asked }) => reply?.model ?? asked),
		connection: names(parts, ({ connection }) => connection),
		phase: phaseOf(parts.at(-1) ?? entry, { ...lens, earlierMs }),
		...(without.size > 0 && { note: [...without].map(withoutWords).join(" ") }),
		usage: usageOf(parts),
		...(first.firstTextAt === undefined ? {} : { firstTextMs: first.firstTextAt - first.startedAt }),
	};
}

/** Words for optional parts of a request that are not the ones of their names on the wire. */
const PART_WORDS: Readonly<Record<string, string>> = {
	top_p: "Top P",
	top_k: "Top K",
	cache_control: "prompt caching",
	prefill: "the text so far",
	output_config: "thinking effort",
	thought: "earlier thinking",
};

/** Sentence about a part of a request that a model refused, by its wire name. */
export function withoutWords(field: string): string {
	const name = PART_WORDS[field] ?? field.replaceAll("_", " ");
	const what = SWITCHES.some((each) => each === field) ? "This model takes no" : "The service refused";
	return `${what} ${name}; sent without ${name.endsWith("s") ? "them" : "it"}.`;
}

function names(parts: readonly ReplyEntry[], of: (part: ReplyEntry) => string): string {
	return [...new Set(parts.map(of))].join(", ");
}

/** Parts of a reply, at least itself. */
function together(entry: ReplyEntry, { session }: Lens): readonly ReplyEntry[] {
	const parts = partsOf(entry.id, session.entries);
	return parts.length === 0 ? [entry] : parts;
}

function timeOf({ at }: Entry): { at?: number } {
	return at === 0 ? {} : { at };
}

function shownVersions({ id }: Entry, { session }: Lens): { versions?: VersionsView } {
	const { index, count } = versionsOf(id, session.tree);
	return count > 1 ? { versions: { index, count } } : {};
}

/** Duration of a thinking block so far, or call of a block. */
export function blockFacts(block: Block, entry: ReplyEntry): Pick<BlockView, "thoughtMs" | "call"> {
	const thought = entry.thoughts[block.key];
	const thoughtMs = thought && thought.lastAt - thought.startedAt;
	return definedOnly({ thoughtMs, call: callView(block, entry) });
}

function callView({ key, tool }: Block, { calls, ended }: ReplyEntry): CallView | undefined {
	const call = calls.find((each) => each.key === key);
	if (call !== undefined) {
		const { key: _key, id: _id, name: _name, result, ...view } = call;
		return { ...view, ...(result === undefined ? {} : { result: withoutMark(result) }) };
	}
	// Its input is still arriving.
	return tool === undefined || ended !== undefined
		? undefined
		: { title: "Preparing a tool call", icon: "tools", state: "waiting" };
}

/** `earlierMs` is the duration of the parts before it. */
function phaseOf(entry: ReplyEntry, { now, describe, session, earlierMs }: Lens & { earlierMs: number }): Phase {
	const { ended, progress } = entry;
	if (ended !== undefined) {
		const isLast = session.entries.at(-1)?.id === entry.id;
		const card = describe(ended, entry);
		const error = isLast ? card : withoutRetry(card);
		return {
			name: "ended",
			outcome: ended.outcome,
			durationMs: earlierMs + ended.at - entry.startedAt,
			...(ended.outcome === "refused" && { explanation: oneLine(ended.reply.explanation ?? "", 300) }),
			...(ended.outcome === "other" && { stopReason: oneLine(ended.reply.stopReason ?? "", 64) }),
			...(ended.reply.stopSequence === null ? {} : { stopSequence: ended.reply.stopSequence }),
			...(error === undefined ? {} : { error }),
		};
	}
	if (progress.name === "retrying") {
		const { status, code } = progress.error;
		const reason = status === undefined ? code : String(status);
		return { name: "retrying", inMs: Math.max(0, progress.until - now), attempt: progress.attempt, reason };
	}
	const elapsedMs = now - entry.startedAt;
	if (progress.name === "waiting") return { ...progress, elapsedMs };
	return {
		name: progress.name,
		elapsedMs,
		...(entry.silentSince === undefined ? {} : { silentMs: now - entry.silentSince }),
	};
}

/** Removes all buttons but Show Log, and the advice to raise a limit, once the conversation has gone on. */
function withoutRetry(card: ErrorCard | undefined): ErrorCard | undefined {
	if (card === undefined || card.code === "truncated") return undefined;
	return { ...card, actions: card.actions.filter((action) => action === "show-log") };
}

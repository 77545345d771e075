import { LIMITS } from "#base/limits.ts";
import type { ContentDelta, InitialBlock, MessageChanges, StreamEvent } from "./events.ts";
import { errorOfFault } from "./fault.ts";
import type { Block, BlockDelta, Reply } from "./model.ts";

/** Block types with a delta type of their own. */
const DELTA_BLOCKS: ReadonlySet<string> = new Set(["text", "thinking", "tool_use"]);

const MOST_UNKNOWN = 20;

const BEYOND = "blocks beyond the limit";

/** Reply under construction. */
export interface GrowingReply extends Reply {
	/** Position in `blocks` of the block of the last event; -1 before the first. */
	readonly touched: number;
}

/** Result of one event: the new state, and the change of a block, if any. */
export interface ReplyStep {
	readonly reply: GrowingReply;
	readonly change: BlockDelta | null;
}

/** A reply of which nothing has arrived yet. */
export const emptyReply: GrowingReply = {
	id: null,
	model: null,
	role: null,
	blocks: [],
	stopReason: null,
	stopSequence: null,
	usage: { inputTokens: null, outputTokens: null },
	finished: false,
	error: null,
	notes: { unknown: [], malformed: 0, late: 0 },
	touched: -1,
};

/**
 * Adds one event to a reply: a pure reducer that never loses text, whatever the order of starts, deltas and stops
 * (contract section 3 keys blocks by index and promises no order).
 *
 * - A delta goes to the newest block of its kind on its index, and opens one if there is none. A later start sets the type
 *   of such a block and puts its text in front.
 * - A second start of the same type on an index continues the block. A start of another type or another call, or after
 *   the stop of a call, opens a second block there.
 * - The deltas of a call replace the input of its start.
 * - A start without a usable index continues the last block if it is open, else opens the next index. A delta or stop
 *   without one belongs to the last block touched.
 * - A delta after a stop is appended and takes the stop back, since a call that may be incomplete is never run. After
 *   `message_stop` it is only counted.
 * - Facts of the message are overwritten by later ones; null never erases.
 */
export function accumulate(reply: GrowingReply, event: StreamEvent): ReplyStep {
	if (reply.finished) return unchanged(noteLate(reply, event));
	switch (event.kind) {
		case "content_block_delta":
			return addDelta(reply, event);
		case "content_block_start":
			return startBlock(reply, event.index ?? indexWithout(reply), event);
		case "signature_delta":
			return addSignature(reply, event.signature, event.index ?? lastIndex(reply));
		case "content_block_stop":
			return stopBlock(reply, event.index);
		case "message_start":
			// Its output is a placeholder, such as 1, and would be wrong for a reply that breaks off.
			return unchanged(withChanges(reply, { ...event.changes, outputTokens: null }));
		case "message_delta":
			return unchanged(withChanges(reply, event.changes));
		case "message_stop":
			return unchanged({ ...withChanges(reply, event.changes), finished: true });
		case "error":
			return unchanged({ ...reply, error: reply.error ?? errorOfFault(event.fault) });
		case "unknown":
			return unchanged(noteUnknown(reply, event.unknown));
		case "malformed":
			return unchanged({ ...reply, notes: { ...reply.notes, malformed: reply.notes.malformed + 1 } });
		case "ping":
			return unchanged(reply);
	}
}

/** Closes all blocks of a reply, and removes the reducer's own fields. */
export function closeReply({ touched: _, ...reply }: GrowingReply): Reply {
	const blocks = reply.blocks.map(({ unstarted: _unstarted, ...block }) => ({ ...block, open: false }));
	return { ...reply, blocks };
}

function unchanged(reply: GrowingReply): ReplyStep {
	return { reply, change: null };
}

function addDelta(reply: GrowingReply, event: ContentDelta): ReplyStep {
	const noted = noteUnknown(reply, event.unknown);
	const index = event.index ?? lastIndex(noted);
	const at = placeOfDelta(noted, index, event);
	const block = noted.blocks[at];
	if (block === undefined) {
		const newest = noted.blocks[newestAt(noted, index)];
		if (event.text === "" && newest !== undefined) return unchanged(noted);
		// Text on the index of a call without input may be that input: the call must not be run.
		const isInput = newest?.type === "tool_use" && newest.text === "";
		const notes = { ...noted.notes, malformed: noted.notes.malformed + Number(isInput) };
		return openBlock({ ...noted, notes }, index, { ...event, unstarted: true });
	}
	const appended = block.announced && event.text !== "" ? null : event.text;
	return replaceBlock(noted, at, { block: withText(block, event.text), appended });
}

/** Appends text to a block, or replaces an announced input with it. Text after a stop takes the stop back. */
function withText(block: Block, more: string): Block {
	if (more === "") return block;
	if (!block.stopped && !block.announced) return { ...block, text: block.text + more };
	const { stopped: _, announced = false, ...before } = block;
	return { ...before, text: (announced ? "" : block.text) + more };
}

function addSignature(reply: GrowingReply, signature: string, index: number): ReplyStep {
	if (signature === "") return unchanged(reply);
	const at = placeOfDelta(reply, index, { blockType: "thinking" });
	const block = reply.blocks[at];
	if (block === undefined)
		return openBlock(reply, index, { blockType: "thinking", text: "", signature, unstarted: true });
	const signed = { ...block, signature: (block.signature ?? "") + signature };
	return replaceBlock(reply, at, { block: signed, appended: "" });
}

/** Position of the block that a delta belongs to, or -1. */
function placeOfDelta(
	reply: GrowingReply,
	index: number,
	{ blockType, unknown }: { readonly blockType: string; readonly unknown?: string },
): number {
	const at = newestAt(reply, index);
	const newest = reply.blocks[at];
	// Unknown types of blocks may grow by deltas of known kinds.
	const isAny = unknown !== undefined || newest?.type === blockType;
	if (newest === undefined || isAny || !DELTA_BLOCKS.has(newest.type)) return at;
	return reply.blocks.findLastIndex((block) => block.index === index && block.type === blockType);
}

/** Starts a block, or starts it again; see {@link accumulate}. */
function startBlock(reply: GrowingReply, index: number, initial: InitialBlock): ReplyStep {
	const at = newestAt(reply, index);
	const block = reply.blocks[at];
	const noted = noteUnknown(reply, initial.unknown);
	// The deltas of a call count more than its start, and a second start adds nothing.
	const more = initial.tool !== undefined && block?.text ? "" : initial.text;
	const facts = wireFacts({ ...initial, text: more });
	if (block?.unstarted) {
		const { unstarted: _, ...before } = block;
		const started = { ...before, ...facts, type: initial.blockType, text: more + block.text };
		return replaceBlock(noted, at, { block: started, appended: null });
	}
	const isNextCall = block?.type === "tool_use" && block.stopped === true;
	if (block?.type !== initial.blockType || isNextCall || isOther(block, initial))
		return openBlock(noted, index, initial);
	const { stopped: _, ...before } = block;
	const continued = { ...before, ...facts, text: block.text + more, open: true };
	return replaceBlock(noted, at, { block: continued, appended: more });
}

function stopBlock(reply: GrowingReply, index: number | null): ReplyStep {
	const place = index ?? lastIndex(reply);
	const started = reply.blocks.findLastIndex((each) => each.index === place && !each.unstarted);
	const at = reply.blocks[started]?.open === true ? started : newestAt(reply, place);
	const block = reply.blocks[at];
	if (block === undefined || !block.open) return unchanged(reply);
	return replaceBlock(reply, at, { block: { ...block, open: false, stopped: true }, appended: "" });
}

/** Fields of a new block that are not shown. */
function wireFacts({ tool, text, signature }: InitialBlock): Pick<Block, "tool" | "announced" | "signature"> {
	const call = tool === undefined ? {} : { tool, ...(text !== "" && { announced: true }) };
	return { ...call, ...(signature === undefined ? {} : { signature }) };
}

/** True if a block and a start of its type are different calls or thoughts. */
function isOther({ tool, signature }: Block, initial: InitialBlock): boolean {
	const { tool: other } = initial;
	if (tool !== undefined && other !== undefined) return tool.id !== other.id || tool.name !== other.name;
	return signature !== undefined && initial.signature !== undefined && signature !== initial.signature;
}

/** Opens a block behind all others of its index, as stopped in a finished reply. Beyond the limit it is only counted. */
function openBlock(reply: GrowingReply, index: number, initial: InitialBlock & Pick<Block, "unstarted">): ReplyStep {
	if (reply.blocks.length >= LIMITS.replyBlocks) return unchanged(noteUnknown(reply, BEYOND));
	const { blockType: type, text, unstarted } = initial;
	const at = reply.blocks.findLastIndex((block) => block.index <= index) + 1;
	const earlier = reply.blocks.slice(0, at).filter((block) => block.index === index).length;
	const key = earlier === 0 ? `${index}` : `${index}.${earlier}`;
	const facts = { ...wireFacts(initial), ...(reply.finished && { stopped: true }), ...(unstarted && { unstarted }) };
	const block: Block = { key, index, type, text, open: true, ...facts };
	return {
		reply: { ...reply, blocks: reply.blocks.toSpliced(at, 0, block), touched: at },
		change: { block, appended: text },
	};
}

function replaceBlock(reply: GrowingReply, at: number, change: BlockDelta): ReplyStep {
	return { reply: { ...reply, blocks: reply.blocks.with(at, change.block), touched: at }, change };
}

/** Position of the newest block of an index, or -1. */
function newestAt({ blocks }: GrowingReply, index: number): number {
	return blocks.findLastIndex((block) => block.index === index);
}

function lastIndex({ blocks, touched }: GrowingReply): number {
	return blocks[touched]?.index ?? 0;
}

/** Index of a start that names none. */
function indexWithout(reply: GrowingReply): number {
	const last = reply.blocks[reply.touched];
	if (last === undefined || last.open) return last?.index ?? 0;
	return (reply.blocks.at(-1)?.index ?? -1) + 1;
}

function withChanges(reply: GrowingReply, changes: MessageChanges): GrowingReply {
	const { usage } = reply;
	const { cachedTokens = usage.cachedTokens } = changes;
	const inputTokens = changes.inputTokens ?? usage.inputTokens;
	// Input reported without the cached tokens that came earlier is only the rest of it.
	const isRest = changes.cachedTokens === undefined && cachedTokens !== undefined;
	const least = Math.max(cachedTokens ?? 0, (isRest ? usage.inputTokens : null) ?? 0);
	return {
		...reply,
		id: changes.id ?? reply.id,
		model: changes.model ?? reply.model,
		role: changes.role ?? reply.role,
		stopReason: changes.stopReason ?? reply.stopReason,
		stopSequence: changes.stopSequence ?? reply.stopSequence,
		...(changes.explanation !== undefined && { explanation: changes.explanation }),
		usage: {
			inputTokens: inputTokens === null ? null : Math.max(inputTokens, least),
			outputTokens: changes.outputTokens ?? usage.outputTokens,
			...(cachedTokens === undefined ? {} : { cachedTokens }),
		},
	};
}

function noteUnknown(reply: GrowingReply, type: string | undefined): GrowingReply {
	const { notes } = reply;
	if (type === undefined || notes.unknown.includes(type) || notes.unknown.length >= MOST_UNKNOWN) return reply;
	return { ...reply, notes: { ...notes, unknown: [...notes.unknown, type] } };
}

/** Notes an event after the end: text is counted, unknown types are kept. */
function noteLate(reply: GrowingReply, event: StreamEvent): GrowingReply {
	const noted = noteUnknown(reply, "unknown" in event ? event.unknown : undefined);
	const isText = event.kind === "content_block_delta" || (event.kind === "content_block_start" && event.text !== "");
	return isText ? { ...noted, notes: { ...noted.notes, late: noted.notes.late + 1 } } : noted;
}

/**
 * Adds the blocks of a whole message to what was received, one step for each block that gains text: `message_stop` may carry
 * a message (contract section 6, "final message fields"), and so may `message_start`.
 * A received block is the same as one of the message if it is the same call, or of its type with a text that begins as its
 * own, preferably on the same index. Only the rest of its text is added, and nothing to a call that has input. Any other block
 * of the message is new: nothing is lost, and nothing is said twice.
 */
export function* addContent(reply: GrowingReply, content: readonly InitialBlock[]): Generator<ReplyStep, void> {
	const counted = new Set<string>();
	let current = reply;
	for (const [index, initial] of content.slice(0, LIMITS.replyBlocks).entries()) {
		if (initial.text === "" && initial.tool === undefined && initial.signature === undefined) continue;
		const alike = reply.blocks.filter((block) => !counted.has(block.key) && isSame(block, initial));
		const same = alike.find((block) => block.index === index) ?? alike[0];
		let step = openBlock(current, index, initial);
		if (same !== undefined) {
			counted.add(same.key);
			const appended = same.tool && same.text !== "" ? "" : initial.text.slice(same.text.length);
			if (appended === "") continue;
			const at = current.blocks.indexOf(same);
			step = replaceBlock(current, at, { block: withText(same, appended), appended });
		}
		yield step;
		current = step.reply;
	}
	const rest = content.length - LIMITS.replyBlocks;
	if (rest > 0) yield { reply: noteUnknown(current, BEYOND), change: null };
}

function isSame(block: Block, initial: InitialBlock): boolean {
	if (block.type !== initial.blockType || isOther(block, initial)) return false;
	if (block.tool !== undefined && initial.tool !== undefined) return true;
	return block.text.startsWith(initial.text) || initial.text.startsWith(block.text);
}

import { LIMITS } from "#base/limits.ts";
import { type GrowingReply, notKept, openBlock, replaceBlock, type Step, startBlock } from "./accumulator.ts";
import type { InitialBlock } from "./events.ts";
import type { Block } from "./model.ts";

/**
 * Adds what a whole message holds beyond what was received: `message_start` and `message_stop` may carry one (contract
 * section 6, "final message fields"). Gives one step for each block that gains text, and one that counts the blocks beyond
 * the most that a reply may have.
 *
 * A block of the message and a received one of its type are the same if one's text begins with the other's, on the same
 * index if there is such a pair; each received block counts once. Of the same block only the rest is added. A block that
 * is nowhere among the received ones is taken for its start while the reply goes on; once it has ended, the two disagree,
 * and the message's becomes a block of its own: nothing is lost, and nothing is said twice.
 */
export function* addContent(reply: GrowingReply, content: readonly InitialBlock[]): Generator<Step, void> {
	const counted = new Set<string>();
	let current = reply;
	for (const [index, initial] of content.slice(0, LIMITS.replyBlocks).entries()) {
		if (initial.text === "") continue;
		const same = reply.blocks.filter((block) => !counted.has(block.key) && isSame(block, initial));
		const key = (same.find((block) => block.index === index) ?? same[0])?.key;
		const at = current.blocks.findIndex((block) => block.key === key);
		const block = current.blocks[at];
		if (key !== undefined) counted.add(key);
		const appended = initial.text.slice(block?.text.length ?? 0);
		if (block !== undefined && appended === "") continue;
		const step =
			block !== undefined
				? replaceBlock(current, at, { block: { ...block, text: block.text + appended }, appended })
				: current.finished
					? openBlock(current, { index, started: true }, initial)
					: startBlock(current, index, initial);
		yield step;
		current = step.reply;
	}
	const rest = content.length - LIMITS.replyBlocks;
	if (rest > 0) yield { reply: notKept(current, rest), change: null };
}

function isSame(block: Block, { blockType, text }: InitialBlock): boolean {
	return block.type === blockType && (block.text.startsWith(text) || text.startsWith(block.text));
}

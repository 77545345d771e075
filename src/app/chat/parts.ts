import type { Block, BlockDelta } from "#api/messages/model.ts";
import { costOf, type Prices, sumUsage, type Usage } from "#base/cost.ts";
import { isEndedByService } from "#base/reply.ts";
import type { Branches, Versions } from "./branches.ts";
import type { Entry, ReplyEntry } from "./conversation.ts";

/** True if the entry at an index continues the reply before it, so that both are shown as one. */
export function isRest(entries: readonly Entry[], at: number): boolean {
	const entry = entries[at];
	return entry?.role === "assistant" && entry.continues && entries[at - 1]?.role === "assistant";
}

/** Parts of the reply with this id, first to last: the replies shown as one. Empty if there is no reply. */
export function partsOf(id: string, entries: readonly Entry[]): readonly ReplyEntry[] {
	let from = entries.findLastIndex((entry) => entry.id === id);
	let to = from + 1;
	while (isRest(entries, from)) from -= 1;
	while (isRest(entries, to)) to += 1;
	return entries.slice(Math.max(0, from), to).filter((entry) => entry.role === "assistant");
}

/** Rounds of a reply: the parts from the first of its tool calls to the part with this id. */
export function roundsOf(id: string, tree: Pick<Branches, "lineage">): readonly ReplyEntry[] {
	const parts = partsOf(id, tree.lineage(id));
	return parts.slice(parts.slice(0, -1).findLastIndex(({ calls }) => calls.length === 0) + 1);
}

/** Versions of a message; of a reply in parts, those of the first part with several. */
export function versionsOf(id: string, tree: Pick<Branches, "path" | "versions">): Versions {
	const parts = partsOf(id, tree.path).map((part) => tree.versions(part.id));
	return parts.find(({ count }) => count > 1) ?? parts[0] ?? tree.versions(id);
}

/** Joins the blocks of parts: the first text of each continues the last text before it, unless tools were called between. */
export function joinedBlocks<B extends Block>(
	parts: readonly ReplyEntry[],
	blocksOf: (part: ReplyEntry) => readonly B[],
): readonly B[] {
	const all = new Map<string, B>();
	for (const { placed } of placedBlocks(parts, blocksOf)) all.set(placed.key, placed);
	return [...all.values()];
}

/** Blocks of a single part. */
export function ownBlocks({ reply }: ReplyEntry): readonly Block[] {
	return reply?.blocks ?? [];
}

/** Converts a change of a block of the last part into a change of the joined blocks. */
export function joinedDelta({ block, appended }: BlockDelta, parts: readonly ReplyEntry[]): BlockDelta {
	const { placed = block } = lastBlocks(parts).find(({ key }) => key === block.key) ?? {};
	return { block: placed, appended };
}

/** Key that a joined block has in the last part; undefined where it is not of that part. */
export function ownKey(joined: string, parts: readonly ReplyEntry[]): string | undefined {
	return lastBlocks(parts).find(({ placed }) => placed.key === joined)?.key;
}

function lastBlocks(parts: readonly ReplyEntry[]) {
	return [...placedBlocks(parts, ownBlocks)].filter(({ part }) => part === parts.at(-1));
}

/** True if only the end of the last part determines which of its texts continues the one before. */
export function isUnsure(parts: readonly ReplyEntry[]): boolean {
	const [before, last] = parts.slice(-2);
	return before?.calls.length === 0 && (last?.reply?.blocks.length ?? 0) > 1;
}

/** Yields the blocks of each part as joined with those before, and their own keys. */
function* placedBlocks<B extends Block>(parts: readonly ReplyEntry[], blocksOf: (part: ReplyEntry) => readonly B[]) {
	let end = 0;
	let text: B | undefined;
	for (const [at, part] of parts.entries()) {
		const from = end;
		let seam = text;
		for (const block of blocksOf(part)) {
			let placed = at === 0 ? block : { ...block, key: `${at}:${block.key}`, index: from + block.index };
			if (seam !== undefined && block.type === "text") {
				placed = { ...block, key: seam.key, index: seam.index, text: seam.text + block.text };
				seam = undefined;
			}
			if (block.type === "text") text = placed;
			end = Math.max(end, placed.index + 1);
			yield { part, key: block.key, placed };
		}
		if (part.calls.length > 0) text = undefined;
	}
}

/** Tokens of all parts of a reply. */
export function usageOf(parts: readonly ReplyEntry[]): Usage {
	const usage = sumUsage(parts.flatMap(({ reply }) => reply?.usage ?? []));
	// A part that was cut off before its usage arrived makes the sum unknown.
	return parts.length > 1 && parts.some(isUncounted) ? { ...usage, outputTokens: null } : usage;
}

function isUncounted({ reply, ended }: ReplyEntry): boolean {
	return !reply?.usage.outputTokens && ended !== undefined && reply !== undefined && !isEndedByService(ended.outcome);
}

/** Cost of replies in the currency with the highest sum. Models without a price are free; undefined if all are. */
export function costOfReplies(entries: readonly Entry[], prices: Prices) {
	const costs = new Map<string, number>();
	for (const entry of entries) {
		if (entry.role !== "assistant" || entry.reply === undefined) continue;
		const { model, usage } = entry.reply;
		const name = [model ?? "", entry.model].find((each) => Object.hasOwn(prices, each));
		const price = name === undefined ? undefined : prices[name];
		if (price !== undefined) costs.set(price.currency, (costs.get(price.currency) ?? 0) + costOf(usage, price));
	}
	const [highest] = [...costs].sort(([, one], [, other]) => other - one);
	return highest && { amount: highest[1], currency: highest[0] };
}

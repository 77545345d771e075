import type { Block, BlockDelta } from "#api/messages/model.ts";
import { isEndedByService, type Usage } from "#base/reply.ts";
import type { Branches, Versions } from "./branches.ts";
import type { Entry, ReplyEntry } from "./conversation.ts";

/** True if the entry at a place continues the reply before it, so that a person reads the two as one. */
export function isRest(entries: readonly Entry[], at: number): boolean {
	const entry = entries[at];
	return entry?.role === "assistant" && entry.continues && entries[at - 1]?.role === "assistant";
}

/** The replies that are one with the reply of this id, itself included, first to last. None where there is no reply. */
export function partsOf(id: string, entries: readonly Entry[]): readonly ReplyEntry[] {
	let from = entries.findLastIndex((entry) => entry.id === id);
	let to = from + 1;
	while (isRest(entries, from)) from -= 1;
	while (isRest(entries, to)) to += 1;
	return entries.slice(Math.max(0, from), to).filter((entry) => entry.role === "assistant");
}

/**
 * Versions of a message as a person leafs through them; choosing one of `ids` brings it on screen. Of a reply in parts,
 * those of the first part that has several.
 */
export function versionsOf(id: string, tree: Pick<Branches, "path" | "versions">): Versions {
	const parts = partsOf(id, tree.path).map((part) => tree.versions(part.id));
	return parts.find(({ count }) => count > 1) ?? parts[0] ?? tree.versions(id);
}

/** The blocks of replies that are one: the first text of each is the rest of the last text before it. */
export function joinedBlocks<B extends Block>(parts: readonly (readonly B[])[]): readonly B[] {
	const all = new Map<string, B>();
	let end: End<B> = NO_END;
	for (const [part, blocks] of parts.entries()) {
		for (const placed of blocks.map(placing(end, part))) {
			all.set(placed.key, placed);
			end = endWith(placed, end);
		}
	}
	return [...all.values()];
}

/** A change of a block of the last of some replies that are one, as a change of their blocks together. */
export function joinedDelta({ block, appended }: BlockDelta, parts: readonly ReplyEntry[]): BlockDelta {
	const blocks = parts.map(({ reply }) => reply?.blocks ?? []);
	const last = blocks.pop() ?? [];
	const end = joinedBlocks(blocks).reduce<End<Block>>((before, each) => endWith(each, before), NO_END);
	const placed = last.map(placing(end, blocks.length));
	return { block: placed[last.findIndex(({ key }) => key === block.key)] ?? block, appended };
}

/** The tokens that came out of replies that are one; null where one of them was cut off before it told its own. */
export function outputOf(parts: readonly ReplyEntry[]): number | null {
	const isUnknown = ({ reply, ended }: ReplyEntry) =>
		!reply?.usage.outputTokens && ended !== undefined && reply !== undefined && !isEndedByService(ended.outcome);
	if (parts.length > 1 && parts.some(isUnknown)) return null;
	return sumOf(
		parts.flatMap(({ reply }) => reply?.usage ?? []),
		"outputTokens",
	);
}

/** Null where no part says anything of it. */
export function sumOf(usages: readonly Usage[], of: keyof Usage): number | null {
	return usages.reduce<number | null>((all, { [of]: tokens }) => (tokens === null ? all : (all ?? 0) + tokens), null);
}

/** The end of some blocks: their last text, and the first index that is free behind them. */
interface End<B extends Block> {
	readonly seam: B | undefined;
	readonly behind: number;
}

const NO_END = { seam: undefined, behind: 0 };

/** The end of what had that end once this block is there, behind it or in place of its last text. */
function endWith<B extends Block>(block: B, { seam, behind }: End<B>): End<B> {
	return { seam: block.type === "text" ? block : seam, behind: Math.max(behind, block.index + 1) };
}

/** Puts the blocks of a part, taken in order, behind those before it. */
function placing<B extends Block>({ seam: before, behind }: End<B>, part: number): (block: B) => B {
	if (part === 0) return (block) => block;
	let seam = before;
	return (block) => {
		if (seam === undefined || block.type !== "text") {
			return { ...block, key: `${part}:${block.key}`, index: behind + block.index };
		}
		const { key, index, text } = seam;
		seam = undefined;
		return { ...block, key, index, text: text + block.text };
	};
}

import type { BlockDelta } from "#api/messages/model.ts";
import type { Entry, ReplyEntry } from "./conversation.ts";

/** Change of a reply under way. */
export type ReplyGrowth =
	/** Anything of a reply but its blocks. */
	| { readonly type: "reply"; readonly entry: ReplyEntry }
	| { readonly type: "block"; readonly entry: ReplyEntry; readonly delta: BlockDelta };

/**
 * Changes between two readings of a conversation, if they are no more than text and the end of replies under way in
 * another window: those need not be drawn anew. Undefined if anything else has changed.
 */
export function diffReplies(before: readonly Entry[], now: readonly Entry[]): readonly ReplyGrowth[] | undefined {
	if (before.length !== now.length) return undefined;
	const events: ReplyGrowth[] = [];
	for (const [at, entry] of now.entries()) {
		const old = before[at];
		const isUnderWay = old?.role === "assistant" && old.ended === undefined;
		if (!isUnderWay || entry.role !== "assistant" || old.id !== entry.id) {
			if (!isSame(old, entry)) return undefined;
			continue;
		}
		if (old === entry) continue;
		for (const block of entry.reply?.blocks ?? []) {
			const { text } = old.reply?.blocks.find(({ key }) => key === block.key) ?? {};
			// How long it was thinking is known with the end.
			if (text === block.text && entry.thoughts[block.key] === undefined) continue;
			const isMore = text !== undefined && block.text.startsWith(text);
			events.push({ type: "block", entry, delta: { block, appended: isMore ? block.text.slice(text.length) : null } });
		}
		if (entry.ended !== undefined) events.push({ type: "reply", entry });
	}
	return events;
}

/** True if two pieces of plain data are equal. */
export function isSame(one: unknown, other: unknown): boolean {
	if (one === other) return true;
	if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
	const [a, b] = [Object.entries(one), new Map(Object.entries(other))];
	return a.length === b.size && a.every(([name, value]) => b.has(name) && isSame(value, b.get(name)));
}

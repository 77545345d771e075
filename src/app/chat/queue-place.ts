import type { Outcome } from "#base/reply.ts";
import type { Branches } from "./branches.ts";
import type { Entry, WaitingTurn } from "./conversation.ts";

/** After these the next turn in the queue is sent; after any other outcome it waits for the person. */
const GOES_ON: ReadonlySet<Outcome> = new Set<Outcome>(["complete", "truncated", "stop-sequence"]);

/** Whether a queue goes on by itself behind an entry. */
export function goesOn(entry: Entry | undefined): boolean {
	return entry?.role === "assistant" && entry.ended !== undefined && GOES_ON.has(entry.ended.outcome);
}

/** Whether an entry is a reply that goes on arriving. */
export function isUnderWay(entry: Entry | undefined): boolean {
	return entry?.role === "assistant" && entry.ended === undefined;
}

/**
 * What a queued turn is to follow: the end of the branch that it was queued on, whatever is on screen by now. Where that
 * is a reply that broke off, the version of it on screen: it may have been asked for again. Undefined for the beginning.
 */
export function placeOf({ after }: WaitingTurn, tree: Pick<Branches, "path" | "shown" | "tip">): Entry | undefined {
	const tip = after === undefined ? undefined : tree.tip(after);
	if (tip === undefined) return tree.path.at(-1);
	const other = goesOn(tip) ? undefined : tree.shown(tip.id);
	return other === undefined ? tip : tree.tip(other.id);
}

import type { RowLook } from "./kit/tree.ts";

/** The row of what is being loaded; `spoken` is what a screen reader says of it. */
export function loadingLook(spoken: string): RowLook {
	return { label: "Loading...", icon: "loading~spin", spoken, context: "note" };
}

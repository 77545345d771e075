import type { BlockElement } from "./block-element.ts";
import { hasUnknownEnd, WITH_REASON } from "./call-block.ts";
import { el, icon } from "./dom.ts";

/** Number of calls in a row up to which each has a line of its own. */
const MOST_LINES = 3;

/** Line before many calls in a row, "Used 8 tools", which opens to them. */
export class CallFold {
	readonly #label = el("span");
	readonly #mark = icon("warning");
	readonly #summary = el("summary", { children: [icon("chevron-right"), icon("tools"), this.#label, this.#mark] });
	readonly element = el("details", { class: "fold calls", children: [this.#summary] });
	#run: readonly BlockElement[] = [];

	constructor() {
		this.element.addEventListener("toggle", () => this.take(this.#run));
	}

	/** Stands before these calls, or nowhere, and hides those that neither run, nor are in use, nor need the person. */
	take(run: readonly BlockElement[]): void {
		this.#run = run;
		const [first] = run;
		if (first === undefined) this.element.remove();
		else if (this.element.nextElementSibling !== first.element) first.element.before(this.element);
		for (const { element, call, isCalling, isInUse } of run) {
			const isSeen = isCalling || isInUse || (call !== undefined && hasUnknownEnd(call.state, call.ms));
			element.hidden = !this.element.open && !isSeen;
		}
		const isUnderWay = run.some(({ isCalling, call }) => isCalling || call?.state === "waiting");
		const failed = run.filter(({ call }) => call !== undefined && WITH_REASON.has(call.state)).length;
		const words = `${isUnderWay ? "Using" : "Used"} ${run.length} tools`;
		this.#label.textContent = failed === 0 ? words : `${words}, ${failed} failed`;
		this.#mark.hidden = failed === 0;
	}
}

/** Folds many calls in a row with the folds so far and new ones. A block without a line does not part calls. */
export function foldCalls(blocks: readonly BlockElement[], folds: CallFold[]): void {
	const runs: BlockElement[][] = [[]];
	for (const block of blocks) {
		if (block.call !== undefined) runs.at(-1)?.push(block);
		else if (!block.element.hidden) runs.push([]);
	}
	const long = runs.filter(({ length }) => length > MOST_LINES);
	for (const run of runs) if (!long.includes(run)) for (const { element } of run) element.hidden = false;
	while (folds.length < long.length) folds.push(new CallFold());
	for (const [at, fold] of folds.entries()) fold.take(long[at] ?? []);
}

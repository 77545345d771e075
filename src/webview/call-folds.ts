import type { BlockElement } from "./block-element.ts";
import { hasUnknownEnd, WITH_REASON } from "./call-block.ts";
import { el, icon } from "./dom.ts";

/** Number of calls in a row up to which each has a line of its own. */
const MOST_LINES = 3;

/** Folds of a reply: more than three calls of tools in a row stand behind a line, "Used 8 tools". */
export class CallFolds {
	readonly #folds = new Map<BlockElement, CallFold>();

	/** Puts the blocks into an element in their order, and moves only those that stand elsewhere. */
	arrange(blocks: readonly BlockElement[], parent: HTMLElement): void {
		const nodes: Element[] = [];
		let run: BlockElement[] = [];
		const endRun = () => {
			const [first] = run;
			if (first === undefined || run.length <= MOST_LINES) nodes.push(...run.map(({ element }) => element));
			else {
				const fold = this.#folds.get(first) ?? new CallFold();
				this.#folds.set(first, fold);
				nodes.push(fold.element, ...fold.take(run));
			}
			run = [];
		};
		for (const block of blocks) {
			if (block.call !== undefined) run.push(block);
			else {
				// A row that is not there does not part calls.
				if (!block.element.hidden) endRun();
				nodes.push(block.element);
			}
		}
		endRun();
		place(nodes, parent);
	}
}

/** Line for calls in a row, which opens to them. */
class CallFold {
	readonly #label = el("span");
	readonly #mark = icon("warning");
	readonly #summary = el("summary", { children: [icon("chevron-right"), icon("tools"), this.#label, this.#mark] });
	readonly element = el("details", { class: "fold calls", children: [this.#summary] });

	/** Takes the calls in, but for those that are used, need the person or run, which it returns. */
	take(run: readonly BlockElement[]): readonly Element[] {
		const isSeen = ({ isCalling, isInUse, element, call }: BlockElement) =>
			isCalling ||
			(isInUse && element.parentElement !== this.element) ||
			(call !== undefined && hasUnknownEnd(call.state, call.ms));
		const rest = run.filter((block) => !isSeen(block));
		place([this.#summary, ...rest.map(({ element }) => element)], this.element);
		const isUnderWay = run.some(({ isCalling, call }) => isCalling || call?.state === "waiting");
		const failed = run.filter(({ call }) => call !== undefined && WITH_REASON.has(call.state)).length;
		const words = `${isUnderWay ? "Using" : "Used"} ${run.length} tools`;
		this.#label.textContent = failed === 0 ? words : `${words}, ${failed} failed`;
		this.#mark.hidden = failed === 0;
		return run.filter(isSeen).map(({ element }) => element);
	}
}

function place(nodes: readonly Element[], parent: Element): void {
	let at = parent.firstElementChild;
	for (const node of nodes) {
		if (node === at) at = at.nextElementSibling;
		else parent.insertBefore(node, at);
	}
	while (at !== null) {
		const next = at.nextElementSibling;
		at.remove();
		at = next;
	}
}

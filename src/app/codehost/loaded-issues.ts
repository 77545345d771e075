import type { Issue } from "#api/codehost/model.ts";
import { comparerOf, type IssueView, matcherOf } from "./issue-view.ts";

/** Change of the issues that are shown. */
export type IssuesEvent =
	/** There are new ones at the end, from that index on. */
	| { readonly type: "appended"; readonly from: number }
	/** Every issue is in its place, and those of these numbers are new objects. */
	| { readonly type: "changed"; readonly numbers: readonly number[] }
	/** It is another list from that index on. */
	| { readonly type: "replaced"; readonly from: number };

/**
 * The issues that were loaded, and those of them that a view shows. A page costs what the page is long, however many
 * came before it. Every method tells what has happened to those shown; null when nothing has.
 */
export class LoadedIssues {
	/** By number, in the order in which the service lists them. */
	#all = new Map<number, Issue>();
	#shown: Issue[] = [];
	#view: IssueView;

	constructor(view: IssueView) {
		this.#view = view;
	}

	/** Grows in place. */
	get shown(): readonly Issue[] {
		return this.#shown;
	}

	get size(): number {
		return this.#all.size;
	}

	get(number: number): Issue | undefined {
		return this.#all.get(number);
	}

	/** Adds a page. An issue that is there already, because the list moved meanwhile, stays where it is. */
	append(page: readonly Issue[]): IssuesEvent | null {
		const fresh = page.filter(({ number }) => !this.#all.has(number));
		for (const issue of fresh) this.#all.set(issue.number, issue);
		const from = this.#shown.length;
		const matches = matcherOf(this.#view);
		const compare = comparerOf(this.#view.sort);
		let first = from;
		// One number may be twice on a page too: the map has kept the last.
		for (const issue of fresh) {
			if (this.#all.get(issue.number) !== issue || !matches(issue)) continue;
			const at = compare === undefined ? this.#shown.length : placeFor(issue, this.#shown, compare);
			first = Math.min(first, at);
			if (at === this.#shown.length) this.#shown.push(issue);
			else this.#shown.splice(at, 0, issue);
		}
		if (this.#shown.length === from) return null;
		return first === from ? { type: "appended", from } : { type: "replaced", from: first };
	}

	/** Puts others in the place of all. What is the same as before stays the same object: see {@link same}. */
	replace(issues: readonly Issue[]): IssuesEvent | null {
		this.#all = new Map(issues.map((issue) => [issue.number, issue]));
		return this.#show();
	}

	/** Shows otherwise. */
	show(view: IssueView): IssuesEvent | null {
		this.#view = view;
		return this.#show();
	}

	/** The issue as it was loaded before, where the service says nothing new of it; else the one given. */
	same(issue: Issue): Issue {
		const before = this.#all.get(issue.number);
		if (before === undefined || before === issue) return issue;
		return JSON.stringify(before.raw) === JSON.stringify(issue.raw) ? before : issue;
	}

	#show(): IssuesEvent | null {
		const before = this.#shown;
		const compare = comparerOf(this.#view.sort);
		const shown = [...this.#all.values()].filter(matcherOf(this.#view));
		this.#shown = compare === undefined ? shown : shown.sort(compare);
		return difference(before, this.#shown);
	}
}

/** The first place where an issue comes before the one that is there. */
function placeFor(issue: Issue, sorted: readonly Issue[], compare: (a: Issue, b: Issue) => number): number {
	let [low, high] = [0, sorted.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		const other = sorted[middle];
		if (other !== undefined && compare(other, issue) <= 0) low = middle + 1;
		else high = middle;
	}
	return low;
}

function difference(before: readonly Issue[], after: readonly Issue[]): IssuesEvent | null {
	const numbers: number[] = [];
	let first = before.length;
	for (const [index, issue] of before.entries()) {
		const now = after[index];
		if (now === issue) continue;
		first = Math.min(first, index);
		if (now?.number !== issue.number) return { type: "replaced", from: first };
		numbers.push(now.number);
	}
	if (after.length === before.length) return numbers.length === 0 ? null : { type: "changed", numbers };
	return numbers.length === 0 ? { type: "appended", from: before.length } : { type: "replaced", from: first };
}

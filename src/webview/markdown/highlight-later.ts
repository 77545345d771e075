import { highlight, isHighlightable } from "./highlight.ts";

/** Margin around the view in which code is colored already, so that a reader who scrolls finds it so. */
const MARGIN = "300px";

/** The event that tells that the text nodes of some code have been replaced by colored ones. It bubbles. */
export const CODE_COLORED = "code-colored";

interface Job {
	readonly code: HTMLElement;
	readonly language: string;
}

/** Closed code that has not come into view yet. */
const waiting = new WeakMap<Element, Job>();
const queue: Job[] = [];
let scheduled = false;
let watched: IntersectionObserver | undefined;

/**
 * Colors a closed code block once it is in view, when the page has nothing better to do, one block at a time. The text
 * and its size stay the same, so nothing moves.
 */
export function highlightLater(code: HTMLElement, facts: { language: string; length: number }): void {
	if (!isHighlightable(facts.language, facts.length)) return;
	const job = { code, language: facts.language };
	if (typeof IntersectionObserver !== "function") {
		enqueue(job);
		return;
	}
	waiting.set(code, job);
	watched ??= new IntersectionObserver(notice, { scrollMargin: MARGIN });
	watched.observe(code);
}

function notice(entries: readonly IntersectionObserverEntry[], observer: IntersectionObserver): void {
	for (const { target, isIntersecting } of entries) {
		const job = waiting.get(target);
		if (job === undefined || !isIntersecting) continue;
		waiting.delete(target);
		observer.unobserve(target);
		enqueue(job);
	}
}

function enqueue(job: Job): void {
	queue.push(job);
	schedule();
}

function schedule(): void {
	if (scheduled || queue.length === 0) return;
	scheduled = true;
	const run = () => {
		scheduled = false;
		const job = queue.shift();
		const colored = job?.code.isConnected === true ? highlight(job.code.textContent, job.language) : undefined;
		if (job !== undefined && colored !== undefined) {
			job.code.replaceChildren(colored);
			job.code.dispatchEvent(new Event(CODE_COLORED, { bubbles: true }));
		}
		schedule();
	};
	if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: 300 });
	else setTimeout(run, 0);
}

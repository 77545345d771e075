import { highlight, isHighlightable } from "./highlight.ts";

interface Job {
	readonly code: HTMLElement;
	readonly language: string;
}

const queue: Job[] = [];
let scheduled = false;

/**
 * Colours a closed code block when the page has nothing better to do, one block at a time. The text and its size stay
 * the same, so nothing moves.
 */
export function highlightLater(code: HTMLElement, facts: { language: string; length: number }): void {
	if (!isHighlightable(facts.language, facts.length)) return;
	queue.push({ code, language: facts.language });
	schedule();
}

function schedule(): void {
	if (scheduled || queue.length === 0) return;
	scheduled = true;
	const run = () => {
		scheduled = false;
		const job = queue.shift();
		const coloured = job?.code.isConnected === true ? highlight(job.code.textContent, job.language) : undefined;
		if (coloured !== undefined) job?.code.replaceChildren(coloured);
		schedule();
	};
	if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: 300 });
	else setTimeout(run, 0);
}

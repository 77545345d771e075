import { highlight, isHighlightable } from "./highlight.ts";

/** Margin around the view in which code is colored already, so that a reader who scrolls finds it so. */
const MARGIN = "300px";
/** Time after which code in view is colored on a busy page too. Milliseconds. */
const LATEST_MS = 300;

/** Bubbling event that fires when the text nodes of some code were replaced by colored ones. */
export const CODE_COLORED = "code-colored";

/** The language of closed code that has not come into view yet. */
const waiting = new WeakMap<Element, string>();
let watched: IntersectionObserver | undefined;

/**
 * Colors a closed code block once it is in view, when the page has nothing better to do. The text and its size stay the
 * same, so nothing moves.
 */
export function highlightLater(code: HTMLElement, { language, length }: { language: string; length: number }): void {
	if (!isHighlightable(language, length)) return;
	waiting.set(code, language);
	watched ??= new IntersectionObserver(notice, { scrollMargin: MARGIN });
	watched.observe(code);
}

function notice(entries: readonly IntersectionObserverEntry[], observer: IntersectionObserver): void {
	for (const { target: code, isIntersecting } of entries) {
		const language = waiting.get(code);
		if (language === undefined || !isIntersecting) continue;
		waiting.delete(code);
		observer.unobserve(code);
		requestIdleCallback(() => color(code, language), { timeout: LATEST_MS });
	}
}

function color(code: Element, language: string): void {
	const colored = code.isConnected ? highlight(code.textContent, language) : undefined;
	if (colored === undefined) return;
	code.replaceChildren(colored);
	code.dispatchEvent(new Event(CODE_COLORED, { bubbles: true }));
}

import type { Emitter, HLJSApi } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { el } from "../dom.ts";

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

const LANGUAGES = {
	bash,
	c,
	css,
	diff,
	go,
	java,
	javascript,
	json,
	markdown,
	python,
	rust,
	sql,
	typescript,
	xml,
	yaml,
};

/** Longer code stays plain: coloring it would hold the page for longer than a person forgives. */
const MAX_CHARS = 24_576;

/** Builds the highlighter's scopes as elements with class names; the library's own one makes a string of markup. */
class DomEmitter implements Emitter {
	readonly fragment = document.createDocumentFragment();
	#parent: Node = this.fragment;

	startScope(name: string): void {
		const span = el("span", { class: scopeClass(name) });
		this.#parent.appendChild(span);
		this.#parent = span;
	}

	endScope(): void {
		this.#parent = this.#parent.parentNode ?? this.fragment;
	}

	addText(text: string): void {
		const last = this.#parent.lastChild;
		if (last instanceof Text) last.appendData(text);
		else if (text !== "") this.#parent.appendChild(document.createTextNode(text));
	}

	/** The library opens and closes some scopes by these names, which its types leave out. */
	openNode(name: string): void {
		this.startScope(name);
	}

	closeNode(): void {
		this.endScope();
	}

	__addSublanguage(emitter: Emitter): void {
		if (emitter instanceof DomEmitter) this.#parent.appendChild(emitter.fragment);
	}

	finalize(): void {
		this.#parent = this.fragment;
	}

	toHTML(): string {
		return "";
	}
}

/** `title.function` becomes `hl-title hl-function`; anything but letters, digits and dashes is dropped. */
function scopeClass(scope: string): string {
	return scope
		.split(".")
		.map((part) => `hl-${part.replaceAll(/[^\w-]/g, "")}`)
		.join(" ");
}

/** The highlighter, which learns its languages with the first code. */
function highlighter(): HLJSApi {
	if (hljs.listLanguages().length > 0) return hljs;
	hljs.configure({ __emitter: DomEmitter });
	for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
	return hljs;
}

/** True where the language is known and the code not too long, counted in characters. */
function isHighlightable(language: string, length: number): boolean {
	return language !== "" && length <= MAX_CHARS && highlighter().getLanguage(language) !== undefined;
}

/** Colored code as nodes, or undefined where it cannot be colored. */
function highlight(code: string, language: string): DocumentFragment | undefined {
	const { _emitter: emitter, errorRaised } = highlighter().highlight(code, { language, ignoreIllegals: true });
	return emitter instanceof DomEmitter && errorRaised === undefined ? emitter.fragment : undefined;
}

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

/** Margin around the view in which code is highlighted. */
const MARGIN = "300px";
/** Time after which code in view is highlighted even on a busy page, in ms. */
const LATEST_MS = 300;

/** Bubbling event that fires after code was highlighted, which replaces its text nodes. */
export const CODE_COLORED = "code-colored";

/** Languages of code that has not come into view yet. */
const waiting = new WeakMap<Element, string>();
let watched: IntersectionObserver | undefined;

/** Highlights a finished code block once it is in view and the page is idle. Its size stays the same. */
export function highlightLater(code: HTMLElement, { language, length }: { language: string; length: number }): void {
	if (language === "" || length > MAX_CHARS || highlighter().getLanguage(language) === undefined) return;
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
	if (!code.isConnected) return;
	const options = { language, ignoreIllegals: true };
	const { _emitter: emitter, errorRaised } = highlighter().highlight(code.textContent, options);
	if (!(emitter instanceof DomEmitter) || errorRaised !== undefined) return;
	code.replaceChildren(emitter.fragment);
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

/** Maximum length of highlighted code: longer code would block the page. */
const MAX_CHARS = 24_576;

/** Emitter of elements with class names; the library's own one makes a string of markup. */
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

	/** Alias that the library uses for some scopes. */
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

/** Converts `title.function` to `hl-title hl-function`, without unsafe characters. */
function scopeClass(scope: string): string {
	return scope
		.split(".")
		.map((part) => `hl-${part.replaceAll(/[^\w-]/g, "")}`)
		.join(" ");
}

/** Returns the highlighter, with its languages registered at the first call. */
function highlighter(): HLJSApi {
	if (hljs.listLanguages().length > 0) return hljs;
	hljs.configure({ __emitter: DomEmitter });
	for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
	return hljs;
}

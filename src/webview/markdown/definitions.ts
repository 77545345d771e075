import type { InlineContext, InlineStream } from "./inline-stream.ts";
import { md, type References } from "./parser.ts";

/** The link reference definitions of one text, and what may have to be built again because of them. */
export class Definitions implements InlineContext {
	readonly references: References = Object.create(null);
	readonly #bracketed: InlineStream[] = [];
	#count = 0;

	definitions(): number {
		return this.#count;
	}

	/** Takes the definitions from the start of a paragraph's text; returns what is left. The first of a label counts. */
	take(text: string): string {
		if (!text.startsWith("[")) return text;
		return takeDefinitions(text, (label, target) => {
			if (label in this.references) return;
			this.references[label] = target;
			this.#count += 1;
		});
	}

	/** Remembers a finished inline text that has brackets. */
	note(bracketed: InlineStream): void {
		this.#bracketed.push(bracketed);
	}

	/** Builds the texts again that a later definition has made out of date. */
	rebuildStale(): void {
		for (const one of this.#bracketed.splice(0)) if (one.stale) one.finish();
	}
}

/**
 * Takes the link reference definitions from the start of a paragraph's text and hands each to `add`. Returns the text
 * that is left.
 */
function takeDefinitions(text: string, add: (label: string, target: References[string]) => void): string {
	let rest = text;
	while (rest.startsWith("[")) {
		const definition = readDefinition(rest);
		if (definition === undefined) break;
		add(definition.label, { href: definition.href, title: definition.title });
		rest = rest.slice(definition.end);
	}
	return rest;
}

interface Definition {
	readonly label: string;
	readonly href: string;
	readonly title: string;
	/** Behind the line end of the definition. */
	readonly end: number;
}

const LABEL = /^\[((?:[^[\]\\]|\\[\s\S])*)\]:/;
const MAX_LABEL = 999;

function readDefinition(text: string): Definition | undefined {
	// The bound keeps a long text without a closing bracket from being scanned again and again.
	const match = LABEL.exec(text.slice(0, 2 * MAX_LABEL + 4));
	const raw = match?.[1];
	if (match === null || raw === undefined || raw.trim() === "" || raw.length > MAX_LABEL) return undefined;
	// A footnote, which this markdown does not have: taken for a link it would vanish, note and all.
	if (raw.startsWith("^")) return undefined;
	const start = skipBlank(text, match[0].length);
	const target = md.helpers.parseLinkDestination(text, start, text.length);
	if (!target.ok || target.pos === start) return undefined;
	const label = md.utils.normalizeReference(raw);
	const href = md.normalizeLink(target.str);
	const titled = readTitle(text, target.pos);
	if (titled !== undefined) return { label, href, ...titled };
	const end = lineEnd(text, target.pos);
	return end === undefined ? undefined : { label, href, title: "", end };
}

/** A title must be set off by a blank and end its line. */
function readTitle(text: string, from: number): { title: string; end: number } | undefined {
	const start = skipBlank(text, from);
	if (start === from || start >= text.length) return undefined;
	const title = md.helpers.parseLinkTitle(text, start, text.length);
	if (!title.ok) return undefined;
	const end = lineEnd(text, title.pos);
	return end === undefined ? undefined : { title: title.str, end };
}

/** Behind the line end that follows `from`, with only blanks before it. */
function lineEnd(text: string, from: number): number | undefined {
	let at = from;
	while (text[at] === " " || text[at] === "\t") at += 1;
	if (at >= text.length) return at;
	return text[at] === "\n" ? at + 1 : undefined;
}

/** Over blanks and at most one line end. */
function skipBlank(text: string, from: number): number {
	let at = from;
	let lines = 0;
	for (; at < text.length; at += 1) {
		if (text[at] === "\n") lines += 1;
		else if (text[at] !== " " && text[at] !== "\t") break;
		if (lines > 1) break;
	}
	return at;
}

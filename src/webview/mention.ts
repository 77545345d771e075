import type { Trigger } from "#protocol/context.ts";

/** Query that is being typed behind an `@` or a `/`. */
export interface Mention {
	readonly trigger: Trigger;
	readonly query: string;
	/** Offset of the `@` or `/`. */
	readonly from: number;
	/** End of the query: the caret. */
	readonly to: number;
}

/** Longer words are none that somebody looks for. */
const LONGEST_QUERY = 100;

/**
 * The mention that ends at the caret, if there is one: an `@` at the start of a word, or a `/` at the very start. Spaces
 * end it, but for a search such as `@issue bell rings` or `@issue:bell rings`.
 */
export function mentionAt(text: string, caret: number): Mention | undefined {
	const before = text.slice(Math.max(0, caret - LONGEST_QUERY), caret);
	const found = /(?:^|\s)@((?:file|issues?|pet|order)(?::| (?! ))[^\n@]*|[^\s@]*)$/.exec(before);
	const query = found?.[1];
	if (query !== undefined) return { trigger: "@", query, from: caret - query.length - 1, to: caret };
	const prompt = /^\/([^\s/]*)$/.exec(text.slice(0, caret))?.[1];
	return prompt === undefined ? undefined : { trigger: "/", query: prompt, from: 0, to: caret };
}

/** The text without the mention, and without the space that it would leave twice. */
export function without(text: string, { from, to }: Mention): string {
	const after = text.slice(to);
	return text.slice(0, from) + (from === 0 || /\s$/.test(text.slice(0, from)) ? after.replace(/^ /, "") : after);
}

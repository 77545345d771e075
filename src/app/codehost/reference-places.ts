import { type IssueReference, issueReferencesIn } from "./issue-references.ts";

/** Languages of sentences, where a reference may stand anywhere; in others it is one of a comment. */
const PROSE = /^(?:plaintext|markdown|git-commit|scminput|restructuredtext|asciidoc|latex|tex|log|typst)$/;

/** Languages with CSS, whose colors look like numbers of issues. */
const WITH_COLORS = /css|less|sass|styl|html|vue|svelte|astro|handlebars/;

/** Beginning of a reference, which few lines have. */
const HINT = /#[1-9]|\/(?:issues|pulls?)\/[1-9]/g;

/**
 * Mark of a comment, since the tokens of a language are not told to extensions. Those that are operators elsewhere count
 * with a space around them or at the beginning of a line only: `#define` and `a--` begin no comment.
 */
const COMMENT = /(?:^|[\s;{}(),>])(?:\/\/|\/\*|<!--|(?:#|--)(?=\s))|^\s*[*;%](?=\s)/;

/** Fence around code in Markdown. */
const FENCE = /^ {0,3}(?:`{3}|~{3})/gm;

/** Longest line that is looked at: longer ones are made by tools. */
const LONGEST_LINE = 10_000;

/** References in a text of a language that are meant as such: in prose or comments, but not in code or as a color. */
export function referencesIn(text: string, language: string): readonly IssueReference[] {
	const found: IssueReference[] = [];
	let end = -1;
	for (const { index } of text.matchAll(HINT)) {
		if (index < end) continue;
		const start = text.lastIndexOf("\n", index) + 1;
		end = text.indexOf("\n", index);
		if (end === -1) end = text.length;
		const line = end - start > LONGEST_LINE ? "" : text.slice(start, end);
		if (!isPlaceForReference(line, line.length, language)) continue;
		for (const { from, to, ...each } of issueReferencesIn(line)) {
			const isMeant = isPlaceForReference(line, from, language) && !isColor(line.slice(from, to), language);
			if (isMeant) found.push({ ...each, from: start + from, to: start + to });
		}
	}
	if (language !== "markdown" || found.length === 0) return found;
	const fences = [...text.matchAll(FENCE)].map(({ index }) => index);
	return found.filter(({ from }) => fences.filter((fence) => fence < from).length % 2 === 0);
}

/** True if a reference at a place of a line is in prose or a comment, and in no code within it. */
export function isPlaceForReference(line: string, at: number, language: string): boolean {
	const before = line.slice(0, at);
	if (before.split("`").length % 2 === 0 && line.includes("`", at)) return false;
	return PROSE.test(language) || COMMENT.test(before);
}

function isColor(written: string, language: string): boolean {
	return /^#(?:\d{3,4}|\d{6}|\d{8})$/.test(written) && WITH_COLORS.test(language);
}

import { type IssueReference, issueReferencesIn } from "./issue-references.ts";

/** Languages of sentences, where a reference may stand anywhere; in others it is one of a comment. */
const PROSE = /^(?:plaintext|markdown|git-commit|scminput|restructuredtext|asciidoc|latex|tex|log|typst)$/;

/** Languages with CSS, whose colors look like numbers of issues. */
const WITH_COLORS = /css|less|sass|styl|html|vue|svelte|astro|handlebars/;

/**
 * Mark of a comment, since the tokens of a language are not told to extensions. Those that are operators elsewhere count
 * with a space around them or at the beginning of a line only: `#define` and `a--` begin no comment.
 */
const COMMENT = /(?:^|[\s;{}(),>])(?:\/\/|\/\*|<!--|(?:#|--)(?=\s))|^\s*[*;%](?=\s)/;

/** Fence around code in Markdown. */
const FENCE = /^ {0,3}(?:`{3}|~{3})/gm;

/** Line that may have a reference, which few have. */
const LINE = /^.*?(?:#|\/(?:issues|pulls?)\/)[1-9].*/gm;

/** Longest line that is looked at: longer ones are made by tools. */
const LONGEST_LINE = 10_000;

/** References in a text of a language that are meant as such: in prose or comments, but not in code or as a color. */
export function referencesIn(text: string, language: string): readonly IssueReference[] {
	const found = [...text.matchAll(LINE)].flatMap(({ 0: line, index }) =>
		(line.length > LONGEST_LINE ? [] : issueReferencesIn(line))
			.filter(({ from, to }) => isPlaceForReference(line, from, language) && !isColor(line.slice(from, to), language))
			.map(({ from, to, ...each }) => ({ ...each, from: index + from, to: index + to })),
	);
	if (language !== "markdown") return found;
	const fences = [...text.matchAll(FENCE)].map(({ index }) => index);
	return found.filter(({ from }) => fences.filter((fence) => fence < from).length % 2 === 0);
}

/** True if a reference at a place of a line is in prose or a comment, and in no code within it. */
export function isPlaceForReference(line: string, at: number, language: string): boolean {
	const before = line.slice(0, at);
	// Step of a build: `#5 DONE 0.3s`.
	if (language === "log" && before === "" && /^#\d+ \S/.test(line)) return false;
	if (before.split("`").length % 2 === 0 && line.includes("`", at)) return false;
	return PROSE.test(language) || COMMENT.test(before);
}

function isColor(written: string, language: string): boolean {
	return /^#(?:\d{3,4}|\d{6}|\d{8})$/.test(written) && WITH_COLORS.test(language);
}

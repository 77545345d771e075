import { codeLines } from "../kit/safe-markdown.ts";
import { type IssueReference, issueReferencesIn } from "./issue-references.ts";

/** Languages of sentences, where a reference may stand anywhere; in others it is one of a comment. */
const PROSE = /^(?:plaintext|markdown|git-commit|scminput|restructuredtext|asciidoc|latex|tex|log|typst)$/;

/** Languages with CSS, whose colors look like numbers of issues. */
const WITH_COLORS = /css|less|sass|styl|html|vue|svelte|astro|handlebars/;
const COLOR = /^#(?:\d{3,4}|\d{6}|\d{8})$/;

/**
 * Mark of a comment, since the tokens of a language are not told to extensions. Those that are operators elsewhere count
 * with a space around them or at the beginning of a line only: `#define` and `a--` begin no comment.
 */
const COMMENT = /(?:^|[\s;{}(),>])(?:\/\/|\/\*|<!--|(?:#|--)(?=\s))|^\s*(?:\*|[;%]+)(?=\s)/;

/** Line that may have a reference, which few have. */
const LINE = /^.*?(?:#|\/(?:issues|pulls?)\/)[1-9].*/gm;

/** Longest line that is looked at: longer ones are made by tools. */
const LONGEST_LINE = 10_000;

/** References in a text of a language that are meant as such: in prose or comments, but not in code or as a color. */
export function referencesIn(text: string, language: string): readonly IssueReference[] {
	const isColor = (written: string) => WITH_COLORS.test(language) && COLOR.test(written);
	const found = [...text.matchAll(LINE)].flatMap(({ 0: line, index }) =>
		(line.length > LONGEST_LINE ? [] : issueReferencesIn(line))
			.filter(({ from, to }) => isPlaceForReference(line, from, language) && !isColor(line.slice(from, to)))
			.map(({ from, to, ...each }) => ({ ...each, from: index + from, to: index + to })),
	);
	if (language !== "markdown" || found.length === 0) return found;
	const code = codeLines(text);
	let [at, line] = [0, 0];
	return found.filter(({ from }) => {
		line += text.slice(at, from).split("\n").length - 1;
		at = from;
		return !code.has(line);
	});
}

/** True if a reference at a place of a line is in prose or a comment, and in no code within it. */
export function isPlaceForReference(line: string, at: number, language: string): boolean {
	const before = line.slice(0, at);
	// Step of a build: `#5 DONE 0.3s`.
	if (language === "log" && before === "" && /^#\d+ \S/.test(line)) return false;
	if (before.split("`").length % 2 === 0 && line.includes("`", at)) return false;
	return PROSE.test(language) || COMMENT.test(before);
}

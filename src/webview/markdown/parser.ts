import MarkdownIt, { type Env, type StateInline, type Token } from "markdown-it";

/**
 * A formula with its delimiters: `$$..$$`, `\(..\)`, `\[..\]`, or `$..$` as Pandoc reads it. A dollar sign is more often
 * one of money or of a shell: it stands behind no letter or digit, and the text between two of them touches both.
 */
const FORMULA =
	/(?<!\$)\$\$(?:[^$`\\]|\\.)+\$\$(?!\$)|\\\((?:[^`\\]|\\[^()])+\\\)|\\\[(?:[^`\\]|\\[^[\]])+\\\]|(?<![a-z\d$])\$(?![\s"'),;:!?])(?:[^$`\n\\]|\\.)*(?<!\s)\$(?![\w${(])/iuy;

/**
 * The inline grammar. Raw HTML is off, so markup in a reply is text. Link targets are all let through here and judged
 * in one place, where the document is built: a refused link then shows its words instead of its source.
 */
export const md = new MarkdownIt({ html: false, linkify: false, typographer: false });
md.validateLink = () => true;
md.inline.ruler.before("escape", "math", readFormula);

/** Link reference definitions by normalized label; the first definition of a label counts. */
export type References = NonNullable<Env["references"]>;

/** Parses the text of one paragraph, heading or cell. */
export function parseInline(text: string, references: References): Token[] {
	const tokens: Token[] = [];
	md.inline.parse(text, md, { references }, tokens);
	return tokens;
}

/** Inline rule that shows a formula as code, so that no mark in it is taken for Markdown. */
function readFormula(state: StateInline, silent: boolean): boolean {
	FORMULA.lastIndex = state.pos;
	const formula = FORMULA.exec(state.src)?.[0];
	if (formula === undefined || !/[\p{L}\p{N}]/u.test(formula)) return false;
	if (state.pos + formula.length > state.posMax) return false;
	if (!silent) state.push("code_inline", "code", 0).content = formula;
	state.pos += formula.length;
	return true;
}

import MarkdownIt, { type Env, type Token } from "markdown-it";
import { mathInline } from "./math.ts";

/**
 * The inline grammar. Raw HTML is off, so markup in a reply is text. Link targets are all let through here and judged
 * in one place, where the document is built: a refused link then shows its words instead of its source.
 */
export const md = new MarkdownIt({ html: false, linkify: false, typographer: false });
md.validateLink = () => true;
md.inline.ruler.before("escape", "math", mathInline);

/** Link reference definitions by normalised label; the first definition of a label counts. */
export type References = NonNullable<Env["references"]>;

/** Parses the text of one paragraph, heading or cell. */
export function parseInline(text: string, references: References): Token[] {
	const tokens: Token[] = [];
	md.inline.parse(text, md, { references }, tokens);
	return tokens;
}

import MarkdownIt, { type Env, type StateBlock, type StateInline, type Token } from "markdown-it";

/** Formula: `$$..$$`, `\(..\)`, `\[..\]`, or `$..$` that touches its text, since most dollar signs are money or shell. */
const FORMULA =
	/(?<!\$)\$\$(?:[^$`\\]|\\.)+\$\$(?!\$)|\\\((?:[^`\\]|\\[^()])+\\\)|\\\[(?:[^`\\]|\\[^[\]])+\\\]|(?<![a-z\d$])\$(?![\s"'),;:!?])(?:[^$`\n\\]|\\.)*(?<!\s)\$(?![\w${(])/iuy;

/** Maximum depth of quotes and lists; deeper ones are shown as text. */
const MAX_DEPTH = 64;
const CODE_INDENT = 4;

/** Grammar without raw HTML. All link targets pass here: `InlineBuilder` shows only the words of a refused link. */
export const md = new MarkdownIt({ html: false, linkify: false, typographer: false });
md.validateLink = () => true;
md.inline.ruler.before("escape", "math", readFormula);
md.inline.ruler.before("autolink", "break", readBreak);
md.block.ruler.before("fence", "math", readFormulaLines, { alt: ["paragraph", "reference", "blockquote", "list"] });
/** Default rule. */
const paragraph = md.block.ruler.getRules("").at(-1) ?? (() => false);
md.block.ruler.before("table", "deep", (state, ...rest) => state.level >= MAX_DEPTH && paragraph(state, ...rest));
// Footnotes are not supported: taken for a link definition, their text would vanish.
md.block.ruler.before("reference", "note", (state, start, ...rest) => {
	return lineAt(state, start).startsWith("[^") && paragraph(state, start, ...rest);
});
md.block.ruler.before("table", "task", readTask);

/** Type of tokens without a block in the document. */
export const DEFINITION = "reference_definition";

/** Link reference definitions by normalized label; the first definition of a label counts. */
export type References = NonNullable<Env["references"]>;

/** Parses lines into tokens of blocks, and adds their definitions to `references`. */
export function parseBlocks(text: string, references: References): Token[] {
	const tokens: Token[] = [];
	md.block.parse(text, md, { references }, tokens);
	return tokens;
}

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

/** Inline rule for `<br>`, the only way to break a line in a table's cell. */
function readBreak(state: StateInline, silent: boolean): boolean {
	const tag = /^<br ?\/?>/i.exec(state.src.slice(state.pos, state.pos + "<br />".length))?.[0];
	if (tag === undefined) return false;
	if (!silent) state.push("hardbreak", "br", 0);
	state.pos += tag.length;
	return true;
}

/** Block rule for a formula between two lines of dollar signs, shown as code. */
function readFormulaLines(state: StateBlock, start: number, end: number, silent: boolean): boolean {
	const indent = (line: number) => (state.sCount[line] ?? 0) - state.blkIndent;
	if (indent(start) >= CODE_INDENT || !/^\$\$[ \t]*$/.test(lineAt(state, start))) return false;
	if (silent) return true;
	const closes = (line: number) => indent(line) < CODE_INDENT && /^\$\$+[ \t]*$/.test(lineAt(state, line));
	let line = start + 1;
	while (line < end && !closes(line) && (indent(line) >= 0 || state.isEmpty(line))) line += 1;
	state.line = line < end && closes(line) ? line + 1 : line;
	const token = state.push("fence", "code", 0);
	token.info = "latex";
	token.content = state.getLines(start + 1, line, state.sCount[start] ?? 0, true);
	token.map = [start, state.line];
	return true;
}

/** Block rule for a task, whose box becomes the class `task` or `task-done` of its item. */
function readTask(state: StateBlock, start: number, end: number, silent: boolean): boolean {
	const item = state.tokens.at(-1);
	if (item?.type !== "list_item_open" || item.map?.[0] !== start) return false;
	const box = /^\[([ x])\][ \t]+(?=\S)/i.exec(lineAt(state, start));
	if (box === null || (state.sCount[start] ?? 0) - state.blkIndent >= CODE_INDENT) return false;
	item.attrSet("class", box[1] === " " ? "task" : "task-done");
	state.bMarks[start] = (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0) + box[0].length;
	state.tShift[start] = 0;
	return paragraph(state, start, end, silent);
}

function lineAt({ src, bMarks, tShift, eMarks }: StateBlock, line: number): string {
	return src.slice((bMarks[line] ?? 0) + (tShift[line] ?? 0), eMarks[line]);
}

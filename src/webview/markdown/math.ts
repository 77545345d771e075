import type { StateInline } from "markdown-it";

/** What opens a formula. A single `$` opens one within a line only. */
export type MathMark = "$" | "$$" | "\\(" | "\\[";
const CLOSING: Readonly<Record<MathMark, string>> = { $: "$", $$: "$$", "\\(": "\\)", "\\[": "\\]" };

/** Where a formula ends: behind its closing mark, or "open" where that is not there, or "none" where it cannot come. */
type MathEnd = number | "open" | "none";

const WORD = /[\p{L}\p{N}]/u;

/** True for what can be a formula: marks alone are more likely meant as they are. */
export function hasWords(formula: string): boolean {
	return WORD.test(formula);
}

/**
 * Looks for the end of a formula from `from`, behind its opening mark. A formula holds none of its own kind, which also
 * keeps the work in proportion to the text.
 */
export function mathEnd(text: string, from: number, mark: MathMark): MathEnd {
	const closing = CLOSING[mark];
	for (let at = from; at < text.length; at += 1) {
		if (text.startsWith(closing, at)) return at + closing.length;
		if (text[at] !== "\\") continue;
		if (text.startsWith(mark, at)) return "none";
		at += 1;
	}
	return "open";
}

/** The mark of a formula on lines of its own that begins `rest`. */
export function blockMath(rest: string): "$$" | "\\[" | undefined {
	if (rest.startsWith("\\[")) return "\\[";
	return /^\$\$(?!\$)/.test(rest) ? "$$" : undefined;
}

/** True where nothing but the punctuation of a sentence stands behind a formula. */
export function endsLine(text: string, end: number): boolean {
	return /^[.,;:]?[ \t]*$/.test(text.slice(end));
}

/**
 * The rule of formulas in the inline grammar: a formula is code, with its delimiters. A dollar sign is more often one
 * of money or of a shell, so it opens only before what is neither blank nor closing punctuation and not behind a letter
 * or digit, and the next one has to close it, between something and no letter or digit.
 */
export function mathInline(state: StateInline, silent: boolean): boolean {
	const { src, pos } = state;
	const mark = markAt(src, pos);
	if (mark === undefined) return false;
	const from = pos + mark.length;
	const end = mathEnd(src, from, mark);
	if (typeof end !== "number" || end > state.posMax) return false;
	const formula = src.slice(from, end - mark.length);
	if (formula.includes("`") || (mark === "$" ? !isBetweenDollars(formula, src[end]) : !hasWords(formula))) return false;
	if (!silent) state.push("code_inline", "code", 0).content = src.slice(pos, end);
	state.pos = end;
	return true;
}

function markAt(src: string, pos: number): MathMark | undefined {
	const two = src.slice(pos, pos + 2);
	if (two === "\\(" || two === "\\[") return two;
	if (src[pos] !== "$" || src[pos - 1] === "$") return undefined;
	if (two === "$$") return src[pos + 2] === "$" ? undefined : two;
	return opensDollar(src.slice(Math.max(0, pos - 1), pos), two.slice(1)) ? "$" : undefined;
}

function opensDollar(before: string, next: string): boolean {
	return !/[a-z\d]/i.test(before) && /[^\s"'),;:!?]/.test(next);
}

function isBetweenDollars(formula: string, next: string | undefined): boolean {
	return !formula.includes("\n") && !/\s/.test(formula.slice(-1)) && !/[a-z\d_$({]/i.test(next ?? "");
}

/** True when a formula that is not closed may stand open at the end of these words. */
export function mayOpenMath(text: string): boolean {
	return /(?<![a-z\d])\$(?=\S|$)/i.test(text);
}

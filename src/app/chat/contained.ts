/** A line that opens or closes a fence, behind the marks of lists and quotes: what is before it, itself, and the rest. */
const FENCE = /^((?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*)(`{3,}|~{3,})(.*)$/;

/** What begins HTML that goes on beyond blank lines, and what ends it (CommonMark 4.6, kinds 1 to 5). */
const HTML: readonly (readonly [begin: RegExp, end: RegExp])[] = [
	[/^[\s>*+\d.)-]*<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
	[/^[\s>*+\d.)-]*<!--/, /-->/],
	[/^[\s>*+\d.)-]*<\?/, /\?>/],
	[/^[\s>*+\d.)-]*<!\[CDATA\[/, /\]\]>/],
	[/^[\s>*+\d.)-]*<![a-z]/i, />/],
];

/** A line that may begin HTML which goes on to the next blank line (kinds 6 and 7). */
const TAG = /^[\s>*+\d.)-]*<[a-z/]/i;

/**
 * A markdown text that reaches no further than its own end: code that is still open at the end, as in a reply that was
 * cut off, is closed, and a text of which that cannot be told for sure is quoted as a whole. Any other stays as it is.
 */
export function contained(text: string): string {
	const end = endOf(text.split(/\r\n?|\n/));
	if (end === "closed") return text;
	return end === "unsure" ? text.replaceAll(/^/gm, "> ") : `${text}\n${end}`;
}

/** How a text ends: with nothing open, with a fence that this closes, or in a way that is not looked into further. */
function endOf(lines: readonly string[]): string {
	let open: { readonly mark: string; readonly before: string } | undefined;
	let isTags = false;
	for (const line of lines) {
		const [, before = "", mark = "", info = ""] = FENCE.exec(line) ?? [];
		if (open === undefined) {
			const html = HTML.find(([begin]) => begin.test(line));
			if (html !== undefined && !html[1].test(line)) return "unsure";
			isTags = TAG.test(line) || (isTags && line.trim() !== "");
			if (mark === "" || (mark.startsWith("`") && info.includes("`"))) continue;
			if (isTags) return "unsure";
			open = { mark, before };
			continue;
		}
		if (line.trim() !== "" && !isWithin(line, open.before)) return "unsure";
		const closes = mark.startsWith(open.mark) && info.trim() === "";
		if (!closes) continue;
		// Elsewhere than below its beginning it may be a part of the code.
		const isBelow = open.before.includes(">") ? before === open.before : before === " ".repeat(open.before.length);
		if (!isBelow) return "unsure";
		open = undefined;
	}
	if (open === undefined) return "closed";
	return open.before === "" ? open.mark : "unsure";
}

/** Whether a line goes on in the list or the quote in which code began, as far as that can be seen. */
function isWithin(line: string, before: string): boolean {
	if (before.includes(">")) return line.startsWith(before.trimEnd());
	return line.length - line.trimStart().length >= before.length;
}

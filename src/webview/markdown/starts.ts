import type { Align } from "./elements.ts";

/** The marker of a list item: `-`, `+`, `*`, or a number with `.` or `)`. */
export interface ListMarker {
	/** Mark that distinguishes one list from another: the bullet, or the character after the number. */
	readonly kind: string;
	/** The number of an ordered item; undefined for a bullet. */
	readonly start: number | undefined;
	/** Characters of the marker itself. */
	readonly width: number;
}

const BULLET = /^[-+*](?=[ \t]|$)/;
const ORDERED = /^(\d{1,9})([.)])(?=[ \t]|$)/;

/** Reads a list marker at the start of `rest`. */
export function listMarker(rest: string): ListMarker | undefined {
	const bullet = BULLET.exec(rest);
	if (bullet !== null) return { kind: bullet[0], start: undefined, width: 1 };
	const ordered = ORDERED.exec(rest);
	if (ordered === null) return undefined;
	return { kind: ordered[2] ?? "", start: Number(ordered[1]), width: ordered[0].length };
}

const ATX = /^(#{1,6})(?:[ \t]+|$)/;

/** Reads the opening of a heading; `width` includes the blanks after it. */
export function atxHeading(rest: string): { readonly level: number; readonly width: number } | undefined {
	const match = ATX.exec(rest);
	return match === null ? undefined : { level: match[1]?.length ?? 1, width: match[0].length };
}

const BLANKS = " \t";

/** Takes the closing `#`s from the text of a heading. */
export function withoutClosing(text: string): string {
	const trimmed = withoutEnd(text, BLANKS);
	const opened = withoutEnd(trimmed, "#");
	return opened === "" || BLANKS.includes(opened.at(-1) ?? "") ? withoutEnd(opened, BLANKS) : trimmed;
}

/** Takes these characters from the end, by hand: an engine tries a pattern of them anew at each one it comes by. */
function withoutEnd(text: string, chars: string): string {
	let end = text.length;
	while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
	return text.slice(0, end);
}

/** The opening line of a code fence. */
export interface Fence {
	readonly char: string;
	readonly length: number;
	/** The info string, escapes and entities still in it. */
	readonly info: string;
}

/** Two dollar signs alone open a formula on lines of its own, which is shown as code. */
const FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$|^(\$\$)[ \t]*$/;

/** Reads the opening line of a fence. */
export function openingFence(rest: string): Fence | undefined {
	const match = FENCE.exec(rest);
	if (match === null) return undefined;
	const marks = match[1] ?? match[3] ?? match[5] ?? "";
	return { char: marks[0] ?? "", length: marks.length, info: (match[2] ?? match[4] ?? "latex").trim() };
}

/** True if `rest` closes the fence. */
export function closesFence(rest: string, fence: Fence): boolean {
	const trimmed = withoutEnd(rest, BLANKS);
	if (trimmed.length < fence.length) return false;
	for (const char of trimmed) if (char !== fence.char) return false;
	return true;
}

/** True for `---`, `* * *`, `___` and the like. */
export function thematicBreak(rest: string): boolean {
	const char = rest[0];
	if (char !== "-" && char !== "*" && char !== "_") return false;
	let marks = 0;
	for (const other of rest) {
		if (other === char) marks += 1;
		else if (other !== " " && other !== "\t") return false;
	}
	return marks >= 3;
}

/** The heading level a line under a paragraph gives it: 1 for `===`, 2 for `---`. */
export function setextLevel(rest: string): 1 | 2 | undefined {
	if (/^=+[ \t]*$/.test(rest)) return 1;
	return /^-+[ \t]*$/.test(rest) ? 2 : undefined;
}

/** The alignments of a table's delimiter row, or undefined where the line is none. */
export function delimiterRow(rest: string): readonly Align[] | undefined {
	if (!/^[|:-][|:\- \t]/.test(rest) || /^-[ \t]/.test(rest) || !/^[|:\- \t]+$/.test(rest)) return undefined;
	const columns = rest.split("|").map((column) => column.trim());
	const aligns: Align[] = [];
	for (const [i, column] of columns.entries()) {
		if (column === "" && (i === 0 || i === columns.length - 1)) continue;
		if (!/^:?-+:?$/.test(column)) return undefined;
		const left = column.startsWith(":");
		const right = column.endsWith(":");
		aligns.push(left && right ? "center" : right ? "right" : left ? "left" : "");
	}
	return aligns;
}

/** The cells of a table row, unescaped pipes between them; outer pipes do not make cells. */
export function splitRow(line: string): readonly string[] {
	const text = line.trim();
	const cells: string[] = [];
	let cell = "";
	let from = 0;
	for (let at = text.indexOf("|"); at !== -1; at = text.indexOf("|", at + 1)) {
		if (text[at - 1] === "\\") {
			cell += text.slice(from, at - 1);
			from = at;
		} else {
			cells.push(cell + text.slice(from, at));
			cell = "";
			from = at + 1;
		}
	}
	cells.push(cell + text.slice(from));
	if (cells[0] === "") cells.shift();
	if (cells.at(-1) === "") cells.pop();
	return cells.map((other) => other.trim());
}

import { oneLine } from "./one-line.ts";

const MARKS: readonly (readonly [RegExp, string])[] = [
	[/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)+|^[ \t]*`{3}.*$/gm, ""],
	[/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, "$1"],
	[/`+([^`\n]+)`+/g, "$1"],
	[/(\*\*|__|~~)(?=\S)([^*~\n]+)\1/g, "$2"],
	[/(?<!\w)([*_])(?=\S)([^*_\n]+)\1(?!\w)/g, "$2"],
];

/** Markdown as one line without its common marks; see {@link oneLine}. */
export function excerpt(text: string, most?: number): string {
	const piece = text.trimStart().slice(0, 8 * (most ?? 200));
	const plain = MARKS.reduce((all, [mark, rest]) => all.replace(mark, rest), piece);
	return oneLine(plain, most);
}

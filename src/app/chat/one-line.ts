/** What breaks lines, or turns round or hides what stands beside it; joiners stay, which emoji and scripts are made with. */
const STRANGE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/**
 * A text as a title, a label or a row shows it, whoever has written it: on one line, without what would reorder the rest
 * of the row, and of at most so many characters (UTF-16), none of them cut in two.
 */
export function oneLine(text: string, most = 200): string {
	const line = text
		.trimStart()
		.slice(0, 8 * most)
		.replace(STRANGE, " ")
		.trim();
	if (line.length <= most) return line;
	let end = 0;
	for (const { index, segment } of new Intl.Segmenter().segment(line)) {
		if (index + segment.length >= most) break;
		end = index + segment.length;
	}
	// A letter with hundreds of marks on it is cut all the same.
	return `${line.slice(0, end || most - 1).trimEnd()}…`;
}

/** Markdown's commonest marks, and what stays of each. */
const MARKS: readonly (readonly [RegExp, string])[] = [
	[/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)+|^[ \t]*`{3}.*$/gm, ""],
	[/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, "$1"],
	[/`+([^`\n]+)`+/g, "$1"],
	[/(\*\*|__|~~)(?=\S)([^*~\n]+)\1/g, "$2"],
	[/(?<!\w)([*_])(?=\S)([^*_\n]+)\1(?!\w)/g, "$2"],
];

/** A piece of markdown on one line, as {@link oneLine} makes it, without the commonest marks. */
export function excerpt(text: string, most?: number): string {
	const piece = text.trimStart().slice(0, 8 * (most ?? 200));
	return oneLine(
		MARKS.reduce((all, [mark, rest]) => all.replace(mark, rest), piece),
		most,
	);
}

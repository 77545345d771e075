/** Characters that break lines, reorder or hide text; joiners stay, which emoji and scripts need. */
const STRANGE = /(?:(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s])+/gu;
const LATIN = /^[ -~\u00a0-\u02ff]{2}$/;
/** Joiners, invisible by themselves, and white space. */
const EDGE = /[\p{Join_Control}\s]/u;

/** Text for a title or row: one line, no bidi or invisible characters, at most `most` UTF-16 units. May be empty. */
export function oneLine(text: string, most = 200): string {
	const piece = text.trimStart().slice(0, 8 * most);
	const line = trimmed(piece.replace(STRANGE, " "));
	if (line.length <= most) return line;
	// A single character with hundreds of marks is cut anyway.
	return `${line.slice(0, lastEdge(line, most - 1) || most - 1).trimEnd()}…`;
}

/** Last boundary between characters up to `most`. */
function lastEdge(line: string, most: number): number {
	// The first segmenter takes a whole frame to load its tables; two Latin letters are always two characters.
	if (LATIN.test(line.slice(most - 1, most + 1))) return most;
	let end = 0;
	for (const { index, segment } of new Intl.Segmenter().segment(line)) {
		if (index + segment.length > most) break;
		end = index + segment.length;
	}
	return end;
}

/** Trims by character: a pattern would take quadratic time on a row of joiners. */
function trimmed(line: string): string {
	const isEdge = (at: number) => EDGE.test(line.charAt(at));
	let from = 0;
	let to = line.length;
	while (from < to && isEdge(from)) from += 1;
	while (to > from && isEdge(to - 1)) to -= 1;
	return line.slice(from, to);
}

/** Name with a capital letter at its beginning: `high` is "High". */
export function capitalized(name: string): string {
	return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A place in a text, in characters. */
export interface Place {
	readonly at: number;
	readonly length: number;
}

/** Finds the first place of a phrase; undefined where there is none. */
export type FindPhrase = (text: string) => Place | undefined;

/** Blanks and marks between two words that are looked beyond: no text makes a search slow. */
const WIDEST_GAP = 200;

/** Letters that belong together, or signs that do. */
const PIECES = /[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+/gu;

/** What is not on screen, or is as one blank; some signs are so only where they stand. */
const GAP = /[\s*_`~>[\]!\\]/;

const MARK = /[*_`~]/;

const BLANK = /\s/;

/** The same where it stands: what leads a link, what ends one with its address, and a backslash that breaks the line. */
const LINK =
	/!?\[(?=[^[\]]{0,200}\]\()|\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s{1,9}"[^"]{0,200}")?\)|\\(?=\r?\n)/y;

/** So many of those are looked beyond, however long: no text makes a search slow. */
const MOST_LINKS = 4;

interface Piece {
	readonly text: string;
	/** Whether a blank stands in front of it. */
	readonly isWord: boolean;
}

/**
 * Looks for a phrase as it is read on screen: any white space is as one blank, and markdown's marks may stand around each
 * word. Phrase and text are to be in the same case.
 */
export function phraseFinder(phrase: string): FindPhrase {
	const pieces: Piece[] = [...phrase.matchAll(PIECES)].map(({ 0: text, index }) => ({
		text,
		isWord: BLANK.test(phrase.charAt(index - 1)),
	}));
	const [first, ...rest] = pieces;
	if (first === undefined) return () => undefined;
	return (text) => {
		// Most texts lack a word of it, and this tells them at once.
		if (rest.some((piece) => !text.includes(piece.text))) return undefined;
		for (let at = text.indexOf(first.text); at !== -1; at = text.indexOf(first.text, at + 1)) {
			const end = endOf(rest, text, at + first.text.length);
			if (end !== undefined) return { at, length: end - at };
		}
		return undefined;
	};
}

/** Where the pieces end that follow one another from there on. */
function endOf(pieces: readonly Piece[], text: string, from: number): number | undefined {
	let end = from;
	for (const { text: piece, isWord } of pieces) {
		const at = afterGap(piece, { text, from: end, isWord });
		if (at === undefined) return undefined;
		end = at + piece.length;
	}
	return end;
}

/** Where a piece stands behind a gap, in which there is a blank where it begins a word. */
function afterGap(
	piece: string,
	{ text, from, isWord }: { readonly text: string; readonly from: number; readonly isWord: boolean },
): number | undefined {
	let isApart = !isWord;
	let isLineStart = false;
	let links = 0;
	let widest = from + WIDEST_GAP;
	for (let at = from; at <= widest; at++) {
		if (isApart && text.startsWith(piece, at)) return at;
		const sign = text.charAt(at);
		if (!GAP.test(sign)) return undefined;
		if (BLANK.test(sign)) {
			// Within a word there may be marks, but no blank.
			if (!isWord) return undefined;
			isApart = true;
			isLineStart ||= sign === "\n";
		} else if (sign === ">" && isLineStart) {
			// A line of a quotation.
		} else if (MARK.test(sign)) isLineStart = false;
		else {
			LINK.lastIndex = at;
			if (links++ === MOST_LINKS || !LINK.test(text)) return undefined;
			widest += LINK.lastIndex - at;
			at = LINK.lastIndex - 1;
			isLineStart = false;
		}
	}
	return undefined;
}

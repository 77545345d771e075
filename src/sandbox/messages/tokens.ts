/** Longer runs without a space, as in Chinese or in code, are several tokens. */
const LONGEST_TOKEN = 16;

const TOKEN = new RegExp(`\\s*\\S{1,${LONGEST_TOKEN}}|\\s+$`, "gu");

/**
 * The sandbox's tokens, an estimate it can count exactly: a word of at most 16 characters with the space before it.
 * Joined they are the text again.
 */
export function tokensOf(text: string): string[] {
	return text.match(TOKEN) ?? [];
}

/** How many tokens a text has. */
export function countTokens(text: string): number {
	return tokensOf(text).length;
}

/** The text in pieces of `size` UTF-16 units; a character outside the basic plane may be split, as real services do. */
export function piecesOf(text: string, size: number): string[] {
	const pieces: string[] = [];
	for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
	return pieces;
}

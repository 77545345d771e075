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

/** Number of tokens of a text. */
export function countTokens(text: string): number {
	return tokensOf(text).length;
}

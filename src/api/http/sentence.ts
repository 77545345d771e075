import { oneLine } from "#base/one-line.ts";

/** The longest sentence a service may put before a person, in characters. */
const LONGEST = 300;

/** One plain line of text that a service sent, of at most 300 characters. Empty for markup, or where no words are left. */
export function plainSentence(text: string): string {
	const line = oneLine(text, LONGEST);
	return line.startsWith("<") ? "" : line;
}

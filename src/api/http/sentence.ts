import { oneLine } from "#base/one-line.ts";

/** Longest sentence of a service that is shown, in characters. */
const LONGEST = 300;

/** Text of a service as one plain line of at most 300 characters; empty for markup. */
export function plainSentence(text: string): string {
	const line = oneLine(text, LONGEST);
	return line.startsWith("<") ? "" : line;
}

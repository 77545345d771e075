import { oneLine } from "#base/one-line.ts";

const LONGEST_LINE = 300;

/** Text of a service as one line without surprises, of at most 300 characters; `fallback` where nothing is left of it. */
export function plainLine(text: string | null, fallback = ""): string {
	return oneLine(text ?? "", LONGEST_LINE) || fallback;
}

/**
 * Characters that hide or turn round what is beside them, stand for none, or are a line's end only to some. Line feeds and
 * tabs are none of them.
 */
const UNPRINTABLE =
	/(?![\n\t])[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** A text of several lines with something else in place of each character that a person could not see. */
export function replaceUnprintable(text: string, by: (character: string) => string): string {
	return text.replace(UNPRINTABLE, by);
}

/** JSON for a conversation: what a person could not see is written as escapes, so that it has the same value still. */
export function visibleJson(json: string): string {
	const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
	return replaceUnprintable(json, (one) => one.split("").map(escaped).join(""));
}

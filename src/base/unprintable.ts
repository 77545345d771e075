/** Invisible characters, and those that reorder text or end a line only for some readers. Tab and line feed are not. */
const UNPRINTABLE =
	/(?![\n\t])[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** Replaces each character of a text that a person could not see. */
export function replaceUnprintable(text: string, by: (character: string) => string): string {
	return text.replace(UNPRINTABLE, by);
}

/** JSON for a conversation, with invisible characters as escapes: its value stays the same. */
export function visibleJson(json: string): string {
	const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
	return replaceUnprintable(json, (one) => one.split("").map(escaped).join(""));
}

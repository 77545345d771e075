/** The longest sentence a service may put before a person, in characters. */
const LONGEST = 300;

/** Control, line-breaking and direction-changing characters: they could forge a second line or hide text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/**
 * Makes one plain line out of text that a service sent: no control or direction characters, no runs of spaces, at most
 * 300 characters. Empty for text that has nothing to say to a person (markup, or no words at all).
 */
export function plainSentence(text: string): string {
	const line = text
		.slice(0, 4 * LONGEST)
		.replace(UNPRINTABLE, " ")
		.trim();
	if (line.startsWith("<")) return "";
	const characters = Array.from(line);
	return characters.length <= LONGEST ? line : `${characters.slice(0, LONGEST - 1).join("")}…`;
}

import type { Pet } from "#api/petstore/model.ts";
import { petText } from "./pet-text.ts";

/** Characters that hide or turn round what is beside them, and those that only some take for the end of a line. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Cs}]/gu;

/**
 * A pet for a conversation: its {@link petText}, ids to the last digit. What a person could not see is written as JSON
 * escapes, so that it is the same pet still.
 */
export function petQuote(pet: Pet): string {
	return petText(pet).replace(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

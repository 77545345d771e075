import type { Pet } from "#api/petstore/model.ts";
import { orderText } from "./order-text.ts";
import type { ListedOrder } from "./orders.ts";
import { petText } from "./pet-text.ts";

/** Characters that hide or turn round what is beside them, and those that only some take for the end of a line. */
const UNPRINTABLE =
	/(?!\n)[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}\p{Cs}]/gu;

/**
 * A pet for a conversation: its {@link petText}, ids to the last digit. What a person could not see is written as JSON
 * escapes, so that it is the same pet still.
 */
export function petQuote(pet: Pet): string {
	return withoutUnprintable(petText(pet));
}

/** An order for a conversation, in the same way. */
export function orderQuote(order: ListedOrder): string {
	return withoutUnprintable(orderText(order));
}

function withoutUnprintable(json: string): string {
	const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
	return json.replace(UNPRINTABLE, (one) => one.split("").map(escaped).join(""));
}

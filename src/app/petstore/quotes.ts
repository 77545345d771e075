import type { Pet } from "#api/petstore/model.ts";
import { replaceUnprintable } from "#base/unprintable.ts";
import { type ListedOrder, orderText } from "./orders.ts";
import { petText } from "./pet-text.ts";

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
	return replaceUnprintable(json, (one) => one.split("").map(escaped).join(""));
}

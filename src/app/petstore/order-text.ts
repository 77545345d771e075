import { jsonDigits } from "#base/exact-json.ts";
import type { ListedOrder } from "./orders.ts";

/** An order as a document, with the fields in the contract's order and all digits of the ids. */
export function orderText({ id, petId, quantity, shipDate, status, complete }: ListedOrder): string {
	const pet = petId === undefined ? undefined : jsonDigits(petId);
	return `${JSON.stringify({ id: jsonDigits(id), petId: pet, quantity, shipDate, status, complete }, null, 2)}\n`;
}

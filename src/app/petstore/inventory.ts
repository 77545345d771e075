import { type Inventory, PET_STATUSES } from "#api/petstore/model.ts";
import { unreadFields } from "#api/petstore/unread.ts";
import { Readings, type ReadingsParts } from "./readings.ts";
import { PET_WRITES } from "./untold-writes.ts";

/** How many pets have a status. */
export interface StatusCount {
	readonly status: string;
	readonly count: number;
	/** Whether the contract knows the status (section 3). */
	readonly isKnown: boolean;
}

/** The inventories of the stores, read again when a pet has changed. */
export function inventories(parts: ReadingsParts): Readings<Inventory> {
	return new Readings(parts, {
		read: async (client, signal) => (await client.call("getInventory", {}, { signal })).data,
		changedBy: PET_WRITES,
	});
}

/**
 * The counts of an inventory: the statuses of the contract first, present or not, then the others, the most pets first.
 * One whose count cannot be read is not among them.
 */
export function countsOf(inventory: Inventory): readonly StatusCount[] {
	const known = new Set<string>(PET_STATUSES);
	const unread = new Set(unreadFields(inventory));
	const others = Object.entries(inventory)
		.filter(([status]) => !known.has(status))
		.sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
	return [
		...PET_STATUSES.filter((status) => !unread.has(status)).map((status) => ({
			status,
			count: inventory[status] ?? 0,
			isKnown: true,
		})),
		...others.map(([status, count]) => ({ status, count, isKnown: false })),
	];
}

/** How many pets an inventory counts. */
export function totalOf(inventory: Inventory): number {
	return Object.values(inventory).reduce((sum, count) => sum + count, 0);
}

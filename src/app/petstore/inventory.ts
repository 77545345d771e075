import type { PetstoreClient } from "#api/petstore/client.ts";
import { type Inventory, PET_STATUSES } from "#api/petstore/model.ts";
import type { PetstoreClients } from "./clients.ts";
import { StoreResources } from "./store-resources.ts";

/** Number of pets of a status. */
export interface StatusCount {
	readonly status: string;
	readonly count: number;
	/** True if the contract lists the status (section 3). */
	readonly isKnown: boolean;
}

/** Paths of requests that change pets, without the base path. */
const PET_WRITES = /\/pet(?:\/[^/?]+(?:\/uploadImage)?)?(?:\?|$)/;

/** Inventories of the stores, read again when a pet has changed. */
export function inventories(clients: PetstoreClients): StoreResources<Inventory> {
	const read = async (client: PetstoreClient, signal: AbortSignal) =>
		(await client.call("getInventory", {}, { signal })).data;
	return new StoreResources(clients, read, PET_WRITES);
}

/** Counts of an inventory: the statuses of the contract first, present or not, then the others, the most pets first. */
export function countsOf(inventory: Inventory): readonly StatusCount[] {
	const known = new Set<string>(PET_STATUSES);
	const others = Object.entries(inventory)
		.filter(([status]) => !known.has(status))
		.sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
	return [
		...PET_STATUSES.map((status) => ({ status, count: inventory[status] ?? 0, isKnown: true })),
		...others.map(([status, count]) => ({ status, count, isKnown: false })),
	];
}

/** Number of pets in an inventory. */
export function totalOf(inventory: Inventory): number {
	return Object.values(inventory).reduce((sum, count) => sum + count, 0);
}

import { isAbsent } from "#api/http/fault.ts";
import type { PetstoreClient } from "#api/petstore/client.ts";
import { type Inventory, PET_STATUSES, type Pet } from "#api/petstore/model.ts";
import { unreadFields } from "#api/petstore/unread.ts";
import { ClientError } from "#base/errors.ts";
import { inTurn } from "./in-turn.ts";
import { groupOf } from "./pet-groups.ts";
import { petOfId } from "./pet-text.ts";

/** What a store has at one time. */
export interface PetListing {
	/** By id; those without one by where they stood. */
	readonly pets: Map<string, Pet>;
	readonly inventory: Inventory | undefined;
	/** How many of the items listed are no pets. */
	readonly leftOut: number;
}

/** What is listed with regard to. */
export interface ListingOptions {
	/** What was there before: a pet that is as before stays the same object. */
	readonly known: ReadonlyMap<string, Pet>;
	readonly signal: AbortSignal;
}

/** So many pets that cannot be listed are read again by a refresh. */
const MOST_LOOKS = 100;

/** Lists the pets of every status that can be asked for, and keeps what is known of others. Rejects with ClientError. */
export async function listPets(client: PetstoreClient, options: ListingOptions): Promise<PetListing> {
	const { known, signal } = options;
	const counting = inventoryOf(client, signal);
	const { data, leftOut } = await client.call("findPetsByStatus", { status: [...PET_STATUSES] }, { signal });
	const inventory = await counting;
	signal.throwIfAborted();
	const pets = new Map<string, Pet>();
	for (const [at, pet] of (data ?? []).entries()) {
		const key = pet.id ?? `?${at}`;
		pets.set(key, sameOf(known.get(key), pet));
	}
	const listing = { pets, inventory, leftOut };
	await keepUnlisted(client, listing, options);
	return listing;
}

/** What the store counts; undefined where it does not tell: that is no reason to show no pets. */
export async function inventoryOf(client: PetstoreClient, signal?: AbortSignal): Promise<Inventory | undefined> {
	try {
		return (await client.call("getInventory", {}, { signal })).data ?? undefined;
	} catch {
		return undefined;
	}
}

/** The pet that was there if the new one says the same: its row is then drawn at no cost. */
export function sameOf(before: Pet | undefined, now: Pet): Pet {
	return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/**
 * Adds what is known and cannot be listed to what was listed. It stays as long as the store counts as many like it, or
 * does not tell; where it counts fewer, some have gone: each is read again, and what may not be read is counted only.
 */
async function keepUnlisted(
	client: PetstoreClient,
	{ pets, inventory }: PetListing,
	{ known, signal }: ListingOptions,
): Promise<void> {
	const others = [...known].filter(([id, pet]) => groupOf(pet) === "other" && !pets.has(id));
	for (const [id, pet] of others) pets.set(id, pet);
	if (inventory === undefined) return;
	const alike = Map.groupBy(pets.values(), ({ status }) => status);
	const unread = new Set(unreadFields(inventory));
	// A count that cannot be read tells of no pet that it has gone.
	const counted = ({ status = "" }: Pet) => (unread.has(status) ? Number.POSITIVE_INFINITY : (inventory[status] ?? 0));
	const doubted = others.filter(([, pet]) => (alike.get(pet.status)?.length ?? 0) > counted(pet));
	for (const [id] of doubted) pets.delete(id);
	// What has no status is in no count, as long as none is of an empty one.
	const isThere = doubted.filter(([, pet]) => counted(pet) > 0 || pet.status === undefined);
	let canRead = true;
	let isRefused = false;
	const look = async ([key, pet]: readonly [string, Pet]) => {
		const { id } = pet;
		if (id === undefined) return;
		if (!canRead) {
			if (!isRefused) pets.set(key, pet);
			return;
		}
		try {
			const { data } = await client.call("getPetById", { petId: id }, { signal, maxAttempts: 1 });
			if (data !== null) pets.set(key, sameOf(pet, petOfId(id, data)));
		} catch (error) {
			if (isAbsent(error)) return;
			canRead = false;
			// As without an API key: no other one may be read either. Any other failure takes nothing away.
			isRefused = error instanceof ClientError && (error.code === "unauthorized" || error.code === "forbidden");
			if (!isRefused) pets.set(key, pet);
		}
	};
	await inTurn(isThere.slice(0, MOST_LOOKS), look, { signal });
	if (!isRefused) for (const [key, pet] of isThere.slice(MOST_LOOKS)) pets.set(key, pet);
}

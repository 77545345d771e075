import type { PetstoreClient } from "#api/petstore/client.ts";
import { type Inventory, PET_STATUSES, type Pet } from "#api/petstore/model.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { int64Of } from "#base/int64.ts";
import { wordMatcher } from "../kit/filter.ts";
import { type Resource, type ResourceState, succeeds } from "../kit/resource.ts";
import { pathOf } from "../requests/request-log.ts";
import type { PetChange, PetService } from "./pet-service.ts";
import { StoreResources } from "./store-resources.ts";

/** Pets and counts of a store at one time. */
interface PetListing {
	/** By id; pets without one by their index. */
	readonly pets: ReadonlyMap<string, Pet>;
	/** Undefined where the store gives none, as without an API key. */
	readonly inventory: Inventory | undefined;
	/** Items listed that are no pets. */
	readonly leftOut: number;
}

/** Pets of one store, grouped and filtered for a view. */
class PetList {
	readonly #resource: Resource<PetListing>;
	readonly #filter: () => PetFilter;
	#grouped:
		| { readonly of: PetListing | undefined; readonly by: PetFilter; readonly groups: readonly PetGroup[] }
		| undefined;

	constructor(resource: Resource<PetListing>, filter: () => PetFilter) {
		this.#resource = resource;
		this.#filter = filter;
	}

	/** State, with the listing once there is one. */
	get state(): ResourceState<PetListing> {
		return this.#resource.state;
	}

	/** Groups for the view; cached until the pets or the filter change. */
	get groups(): readonly PetGroup[] {
		const [of, by] = [this.#resource.value, this.#filter()];
		if (this.#grouped?.of !== of || this.#grouped?.by !== by) {
			const groups = groupPets(of?.pets.values() ?? [], { filter: by, inventory: of?.inventory });
			this.#grouped = { of, by, groups };
		}
		return this.#grouped.groups;
	}

	get pets(): readonly Pet[] {
		return [...(this.#resource.value?.pets.values() ?? [])];
	}

	get(id: string): Pet | undefined {
		return this.#resource.value?.pets.get(id);
	}

	/** True if other pets of the store have the name. */
	isNamesake({ name = "" }: { readonly name?: string | undefined }): boolean {
		return this.groups.some(({ namesakes }) => namesakes.has(name));
	}

	/** Loads the pets once. Resolves to true if they are there; {@link state} has the error. */
	async load(signal?: AbortSignal): Promise<boolean> {
		return succeeds(this.#resource.load(signal));
	}

	/** Loads the pets again. Resolves to whether that went well. */
	async refresh(signal?: AbortSignal): Promise<boolean> {
		return succeeds(this.#resource.refresh(signal));
	}

	/** Adds pets that were found by another way. */
	add(found: readonly Pet[]): void {
		this.#resource.patch((before) => {
			const pets = new Map(before.pets);
			for (const pet of found) if (pet.id !== undefined) pets.set(pet.id, pet);
			return { ...before, pets };
		});
	}
}

/** Path of a request about one pet, without the base path. */
const PET_PATH = /\/pet\/(-?\d+)(?:\/uploadImage)?$/;

/** Lists of pets by connection. Changes made in this window show without another request. */
export class Pets extends ResourceOwner {
	readonly #changed = this.held.add(new Emitter<string>());
	readonly #resources: StoreResources<PetListing>;
	readonly #lists = new Map<string, PetList>();
	#filter: PetFilter = NO_FILTER;

	constructor(service: PetService) {
		super();
		this.#resources = this.held.add(new StoreResources(service.clients, listPets));
		this.held.add(this.#resources.onDidChange((id) => this.#changed.fire(id)));
		this.held.add(
			service.onDidChange((change) =>
				this.#resources.of(change.connection).patch((listing) => patched(listing, change)),
			),
		);
		this.held.add(
			service.clients.onRequest(({ connection, url, error }) => {
				const id = int64Of(PET_PATH.exec(pathOf(url))?.[1]);
				const isGone = id !== null && error?.reason === "absent" && this.of(connection).get(id) !== undefined;
				if (isGone) this.#resources.of(connection).patch((listing) => patched(listing, { id, after: undefined }));
			}),
		);
	}

	/** Fires with a connection's id when its list has changed. */
	readonly onDidChange = this.#changed.event;

	get filter(): PetFilter {
		return this.#filter;
	}

	show(filter: PetFilter): void {
		this.#filter = filter;
		for (const id of this.#lists.keys()) this.#changed.fire(id);
	}

	of(connection: string): PetList {
		const known = this.#lists.get(connection);
		if (known !== undefined) return known;
		const list = new PetList(this.#resources.of(connection), () => this.#filter);
		this.#lists.set(connection, list);
		return list;
	}

	get isLoading(): boolean {
		return this.#resources.all.some(({ state }) => state.name === "loading");
	}

	/** Ends all loading; pets that are there stay. */
	cancel(): void {
		for (const each of this.#resources.all) each.cancel();
	}

	/** Refreshes a loaded list after writes whose effect is unknown. */
	refreshSoon(connection: string): void {
		this.#resources.of(connection).refreshSoon();
	}
}

/** Lists the pets of all known statuses, and keeps known pets of other statuses while the store counts any. */
async function listPets(client: PetstoreClient, signal: AbortSignal, known?: PetListing): Promise<PetListing> {
	// Pets are shown without an inventory too, as without an API key.
	const counting = client.call("getInventory", {}, { signal }).catch(() => ({ data: undefined }));
	const { data, leftOut } = await client.call("findPetsByStatus", { status: [...PET_STATUSES] }, { signal });
	const inventory = (await counting).data ?? undefined;
	const pets = new Map((data ?? []).map((pet, at) => [pet.id ?? `?${at}`, pet]));
	for (const [id, pet] of known?.pets ?? []) {
		const { status } = pet;
		// A pet without a status is in no count.
		const isCounted = inventory === undefined || status === undefined || (inventory[status] ?? 0) > 0;
		if (groupOf(pet) === "other" && !pets.has(id) && isCounted) pets.set(id, pet);
	}
	return { pets, inventory, leftOut };
}

function patched(
	{ pets: before, inventory, leftOut }: PetListing,
	{ id, after }: Pick<PetChange, "id" | "after">,
): PetListing {
	const pets = new Map(before);
	if (after === undefined) pets.delete(id);
	else pets.set(id, after);
	return { pets, leftOut, inventory: inventory && recounted(inventory, before.get(id)?.status, after?.status) };
}

/** Inventory after one pet has gone from one status to another. */
function recounted(inventory: Inventory, from: string | undefined, to: string | undefined): Inventory {
	const counts = { ...inventory };
	if (from !== undefined) counts[from] = Math.max(0, (counts[from] ?? 0) - 1);
	if (to !== undefined) counts[to] = (counts[to] ?? 0) + 1;
	return counts;
}

const PET_GROUPS = [...PET_STATUSES, "other"] as const;

/** Group of pets: one for each status of the contract (section 3), and one for all others. */
export type PetGroupName = (typeof PET_GROUPS)[number];

/** Filter of the pets that are shown. */
export interface PetFilter {
	/** Words that all have to be in the name, the id or the category. */
	readonly text: string;
	/** Tags of which a pet must have one, in any case; none matches all. */
	readonly tags: readonly string[];
}

/** Shows all pets. */
export const NO_FILTER: PetFilter = { text: "", tags: [] };

/** The pets of a status, or of all that the contract does not know. */
export interface PetGroup {
	readonly name: PetGroupName;
	/** Pets that pass the filter, by name. */
	readonly pets: readonly Pet[];
	/** Names that several pets of the store have. */
	readonly namesakes: ReadonlySet<string>;
	/** Number of known pets, filtered or not. */
	readonly known: number;
	/** Statuses of which the store counts more pets than it lists, with the difference. */
	readonly unlisted: readonly { readonly status: string; readonly count: number }[];
}

/** The group that a pet belongs to. */
export function groupOf({ status }: Pet): PetGroupName {
	return PET_STATUSES.find((each) => each === status) ?? "other";
}

/** Number of pets in a group, listed or only counted. */
export function groupSize({ known, unlisted }: PetGroup): number {
	return unlisted.reduce((sum, { count }) => sum + count, known);
}

/** Groups of pets in display order, empty ones included. */
export function groupPets(
	pets: Iterable<Pet>,
	{ filter, inventory }: { readonly filter: PetFilter; readonly inventory: Inventory | undefined },
): readonly PetGroup[] {
	const passes = passer(filter);
	// A store counts a pet without a status, where it does, as one of an empty status.
	const known = new Map<string, number>();
	const shown = new Map<PetGroupName, Pet[]>(PET_GROUPS.map((name) => [name, []]));
	const names = new Set<string>();
	const namesakes = new Set<string>();
	for (const pet of pets) {
		const { status = "", name = "" } = pet;
		(names.has(name) ? namesakes : names).add(name);
		known.set(status, (known.get(status) ?? 0) + 1);
		if (passes(pet)) shown.get(groupOf(pet))?.push(pet);
	}
	const statuses = new Set([...known.keys(), ...Object.keys(inventory ?? {})]);
	return PET_GROUPS.map((name) => {
		const own = name === "other" ? [...statuses].filter((status) => groupOf({ status }) === name) : [name];
		const counted = (status: string) =>
			inventory !== undefined && Object.hasOwn(inventory, status) ? (inventory[status] ?? 0) : 0;
		return {
			name,
			pets: (shown.get(name) ?? []).sort(byName),
			namesakes,
			known: own.reduce((sum, status) => sum + (known.get(status) ?? 0), 0),
			unlisted: own.flatMap((status) => {
				const count = counted(status) - (known.get(status) ?? 0);
				return count > 0 ? [{ status, count }] : [];
			}),
		};
	});
}

/** Predicate of a filter. */
export function passer({ text, tags }: PetFilter): (pet: Pet) => boolean {
	const wanted = new Set(tags.map((tag) => tag.toLowerCase()));
	const hasWords = wordMatcher<Pet>(text, ({ name, id, category }) => [name, id, category?.name]);
	return (pet) =>
		(wanted.size === 0 || pet.tags?.some(({ name }) => wanted.has(name?.toLowerCase() ?? "")) === true) &&
		hasWords(pet);
}

const collator = new Intl.Collator("en", { numeric: true });

function byName(one: Pet, other: Pet): number {
	return collator.compare(one.name ?? "", other.name ?? "") || collator.compare(one.id ?? "", other.id ?? "");
}

import { type Inventory, PET_STATUSES, type Pet } from "#api/petstore/model.ts";

const PET_GROUPS = [...PET_STATUSES, "other"] as const;

/** Group that pets are shown in: one for each status of the contract (section 3), and one for all others. */
export type PetGroupName = (typeof PET_GROUPS)[number];

/** Filter of the pets that are shown. */
export interface PetFilter {
	/** Words that all have to be in the name, the id or the category. */
	readonly text: string;
	/** Tags of which a pet has to have one, in capitals or not; none lets all pass. */
	readonly tags: readonly string[];
}

/** Shows all pets. */
export const NO_FILTER: PetFilter = { text: "", tags: [] };

/** The pets of a status, or of all that the contract does not know. */
export interface PetGroup {
	readonly name: PetGroupName;
	/** Pets that pass the filter, by name. */
	readonly pets: readonly Pet[];
	/** Number of known pets, filtered or not. */
	readonly known: number;
	/** Number in the store's inventory; undefined where the store gives none. */
	readonly counted: number | undefined;
	/** Statuses of which the store counts more pets than it lists, and how many more. */
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

/** All groups of some pets, in their order, those without pets included. */
export function groupPets(
	pets: Iterable<Pet>,
	{ filter, inventory }: { readonly filter: PetFilter; readonly inventory: Inventory | undefined },
): readonly PetGroup[] {
	const passes = passer(filter);
	// A store counts a pet without a status, where it does, as one of an empty status.
	const known = new Map<string, number>();
	const shown = new Map<PetGroupName, Pet[]>(PET_GROUPS.map((name) => [name, []]));
	for (const pet of pets) {
		const { status = "" } = pet;
		known.set(status, (known.get(status) ?? 0) + 1);
		if (passes(pet)) shown.get(groupOf(pet))?.push(pet);
	}
	const statuses = new Set([...known.keys(), ...Object.keys(inventory ?? {})]);
	return PET_GROUPS.map((name) => {
		const own = name === "other" ? [...statuses].filter((status) => groupOf({ status }) === name) : [name];
		const sum = (count: (status: string) => number) => own.reduce((all, each) => all + count(each), 0);
		const counted = (status: string) =>
			inventory !== undefined && Object.hasOwn(inventory, status) ? (inventory[status] ?? 0) : 0;
		return {
			name,
			pets: (shown.get(name) ?? []).sort(byName),
			known: sum((status) => known.get(status) ?? 0),
			counted: inventory === undefined ? undefined : sum(counted),
			unlisted: own.flatMap((status) => {
				const count = counted(status) - (known.get(status) ?? 0);
				return count > 0 ? [{ status, count }] : [];
			}),
		};
	});
}

/** Predicate of a filter. */
export function passer({ text, tags }: PetFilter): (pet: Pet) => boolean {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	const wanted = new Set(tags.map((tag) => tag.toLowerCase()));
	return (pet) => {
		if (wanted.size > 0 && !pet.tags?.some(({ name }) => name !== undefined && wanted.has(name.toLowerCase()))) {
			return false;
		}
		if (words.length === 0) return true;
		const where = `${pet.name ?? ""} ${pet.id ?? ""} ${pet.category?.name ?? ""}`.toLowerCase();
		return words.every((word) => where.includes(word));
	};
}

const collator = new Intl.Collator("en", { numeric: true });

function byName(one: Pet, other: Pet): number {
	return collator.compare(one.name ?? "", other.name ?? "") || collator.compare(one.id ?? "", other.id ?? "");
}

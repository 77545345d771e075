import type { Pet } from "#api/petstore/model.ts";
import { photoAddresses } from "#api/petstore/photo.ts";
import { groupOf, groupSize, type PetFilter, type PetGroup, type PetGroupName } from "#app/petstore/pets.ts";
import { looksOf, noteLook, type RowLook } from "../kit/rows.ts";
import { joinParts, plainLine, plainNames } from "../kit/text.ts";

/** Looks of statuses, and of all others. */
export const GROUPS: Readonly<Record<PetGroupName, Pick<RowLook, "label" | "icon" | "color">>> = {
	available: { label: "Available", icon: "circle-large-outline", color: "charts.green" },
	pending: { label: "Pending", icon: "clock", color: "charts.yellow" },
	sold: { label: "Sold", icon: "pass", color: "charts.purple" },
	other: { label: "Other", icon: "question" },
};

/** The name of a pet as one line. */
export function nameOf({ name }: Pet): string {
	return plainLine(name, "(no name)");
}

function lookWith(id: string | undefined, pet: Pet): RowLook {
	const category = plainLine(pet.category?.name);
	const status = plainLine(pet.status);
	const { icon, color } = GROUPS[groupOf(pet)];
	const about = joinParts([id, category, status || "no status", ...plainNames(pet.tags)], ", ");
	const kind = pet.id === undefined ? "stray" : "pet";
	return {
		label: nameOf(pet),
		description: joinParts([category, id]),
		icon,
		color,
		spoken: `Pet ${nameOf(pet)}, ${about}`,
		// A pet without an id cannot be read, changed or opened.
		context: photoAddresses(pet.photoUrls).length > 0 ? `${kind}.photo` : kind,
		command: pet.id === undefined ? undefined : { id: "switchboard.petstore.openPet", title: "Open Pet" },
	};
}

const plainLook = looksOf((pet: Pet) => lookWith(undefined, pet));
const namesakeLook = looksOf((pet: Pet) => lookWith(pet.id, pet));

/** Look of a pet's row, with the words of the filter marked in its name, and with its id if others have that name. */
export function petLook(pet: Pet, filter: string, isNamesake = false): RowLook {
	return (isNamesake ? namesakeLook : plainLook)(pet, filter);
}

/** The row of a status, with how many pets it has. */
export function petGroupLook(group: PetGroup, isFiltered: boolean): RowLook {
	const { name, pets } = group;
	const size = groupSize(group);
	const { label, icon } = GROUPS[name];
	const count = isFiltered ? `${pets.length} of ${size}` : `${size}`;
	return {
		label,
		description: count,
		icon,
		spoken: `${label}, ${count} ${size === 1 ? "pet" : "pets"}`,
		context: `group.${name}`,
		opens: name === "available" ? "open" : "closed",
	};
}

/** Row of a part of a large group, from an index counted from 0. */
export function chunkLook(from: number, pets: readonly Pet[]): RowLook {
	const [first, last] = [pets[0], pets.at(-1)].map((pet) => (pet === undefined ? "" : nameOf(pet)));
	const label = `${from + 1}-${from + pets.length}`;
	return {
		label,
		description: `${first} to ${last}`,
		spoken: `Pets ${label}, ${first} to ${last}`,
		context: "chunk",
		opens: from === 0 ? "open" : "closed",
	};
}

/** Notes below a group: pets that are counted but not listed, or that there are none. */
export function noteLooks({ pets, unlisted, known }: PetGroup): readonly RowLook[] {
	const notes = unlisted.map(({ status, count }) =>
		noteLook(plainLine(status, "(no status)"), `${count} counted by the store, not listed`),
	);
	if (pets.length > 0 || notes.length > 0) return notes;
	return [noteLook(known > 0 ? "No pet matches the filter" : "No pets")];
}

/** The row for items of a store's list that are no pets. */
export function leftOutLook(count: number): RowLook {
	const description = count === 1 ? "an item of the store's list is no pet" : "items of the store's list are no pets";
	return noteLook(`${count} left out`, description);
}

/** Filter for the head of the view; empty if all is shown. */
export function petFilterWords({ text, tags }: PetFilter): string {
	return joinParts([text && `"${text}"`, tags.length === 0 ? "" : `tag ${tags.join(" or ")}`]);
}

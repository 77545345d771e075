import type { Pet } from "#api/petstore/model.ts";
import { photoAddresses } from "#api/petstore/photo.ts";
import { COMMANDS } from "#app/contributions.ts";
import { groupOf, type PetFilter, type PetGroup, type PetGroupName, sizeOf } from "#app/petstore/pet-groups.ts";
import type { ClientError } from "#base/errors.ts";
import { plainLine, wordRanges } from "../kit/text.ts";
import type { RowLook } from "../tree.ts";
import { describePetstoreError } from "./words.ts";

/** What Enter on a pet does. */
const ENTER: RowLook["command"] = { id: COMMANDS.petstoreOpenPet, title: "Open Pet" };

/** The words and the icon of each group. */
const GROUPS: Readonly<
	Record<PetGroupName, { readonly label: string; readonly icon: string; readonly color?: string }>
> = {
	available: { label: "Available", icon: "circle-large-outline", color: "charts.green" },
	pending: { label: "Pending", icon: "clock", color: "charts.yellow" },
	sold: { label: "Sold", icon: "pass", color: "charts.purple" },
	other: { label: "Other", icon: "question" },
};

/** How the row of a pet looks: the same object as long as nothing of it has changed, for there may be thousands. */
export class PetLooks {
	#pet: Pet | undefined;
	/** That of a pet that is gone, too: its row will not be there when the tree is drawn again. */
	#plain: RowLook = { label: "", spoken: "", context: "" };
	#text = "";
	#marked = this.#plain;

	/** The look of a pet; the words of the filter are marked in its name. */
	of(pet: Pet | undefined, { text }: PetFilter): RowLook {
		if (pet !== this.#pet) {
			this.#pet = pet;
			this.#plain = pet === undefined ? { label: "", spoken: "", context: "" } : plainLook(pet);
			this.#marked = this.#plain;
			this.#text = "";
		}
		if (text !== this.#text) {
			this.#text = text;
			const highlights = text === "" ? undefined : wordRanges(this.#plain.label, text);
			this.#marked = highlights === undefined ? this.#plain : { ...this.#plain, highlights };
		}
		return this.#marked;
	}
}

/** The name of a pet as one line. */
export function nameOf({ name }: Pet): string {
	return plainLine(name ?? null, "(no name)");
}

/** The names of its tags, without those that have none. */
export function tagNames({ tags = [] }: Pet): readonly string[] {
	return tags.map(({ name }) => plainLine(name ?? null)).filter((name) => name !== "");
}

function plainLook(pet: Pet): RowLook {
	const category = plainLine(pet.category?.name ?? null);
	const status = plainLine(pet.status ?? null);
	const { icon, color } = GROUPS[groupOf(pet)];
	const about = [category, status === "" ? "no status" : status, ...tagNames(pet)].filter((part) => part !== "");
	const kind = pet.id === undefined ? "stray" : "pet";
	return {
		label: nameOf(pet),
		description: category,
		icon,
		color,
		spoken: `Pet ${nameOf(pet)}, ${about.join(", ")}`,
		// What has no id cannot be asked for, changed or opened.
		context: photoAddresses(pet.photoUrls).length > 0 ? `${kind}.photo` : kind,
		command: pet.id === undefined ? undefined : ENTER,
	};
}

/** The row of a status, with how many pets it has. */
export function groupLook(group: PetGroup, isFiltered: boolean): RowLook {
	const { name, pets, known, counted } = group;
	const size = sizeOf(group);
	const { label, icon } = GROUPS[name];
	const count = isFiltered ? `${pets.length} of ${size}` : `${size}`;
	// Without a status a pet is in no count of the store.
	const differs = counted !== undefined && counted < known && name !== "other";
	return {
		label,
		description: differs ? `${count} · inventory ${counted}` : count,
		icon,
		spoken: `${label}, ${count} ${size === 1 ? "pet" : "pets"}${differs ? `, the inventory says ${counted}` : ""}`,
		context: `group.${name}`,
		opens: name === "available" ? "open" : "closed",
	};
}

/** Some of the pets of a group that has many: those from one place on. */
export interface Chunk {
	/** Of the first one, counted from 0. */
	readonly from: number;
	readonly pets: readonly Pet[];
}

/** The row of some of the pets of a group. */
export function chunkLook({ from, pets }: Chunk): RowLook {
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

/** What stands below the pets of a group: those that are counted but not listed, or that there are none. */
export function noteLooks({ pets, unlisted, known }: PetGroup): readonly RowLook[] {
	const notes = unlisted.map(({ status, count }) => {
		const label = plainLine(status, "(no status)");
		const description = `${count} counted by the store, not listed`;
		return { label, description, icon: "info", spoken: `${label}: ${description}`, context: "note" };
	});
	if (pets.length > 0 || notes.length > 0) return notes;
	const label = known > 0 ? "No pet matches the filter" : "No pets";
	return [{ label, icon: "info", spoken: label, context: "note" }];
}

/** The row for items of a store's list that are no pets. */
export function leftOutLook(count: number): RowLook {
	const label = `${count} left out`;
	const description = count === 1 ? "an item of the store's list is no pet" : "items of the store's list are no pets";
	return { label, description, icon: "info", spoken: `${label}: ${description}`, context: "note" };
}

/** The row that stands for an error, with what mends it. */
export function petErrorLook(error: ClientError, label: string): RowLook {
	const { title, advice, remedy } = describePetstoreError(error, label);
	const isCredential = remedy === "replace" || remedy === "sign-in";
	return {
		label: title,
		description: advice,
		icon: "error",
		color: "list.errorForeground",
		spoken: `Error: ${title} ${advice} Refresh is in its menu.`,
		context: isCredential ? "error.credential" : remedy === "edit" ? "error.connection" : "error",
		command:
			remedy === "replace"
				? { id: COMMANDS.replaceKey, title: "Replace Key or Token" }
				: remedy === "sign-in"
					? { id: COMMANDS.petstoreSignIn, title: "Sign In Again" }
					: { id: COMMANDS.petstoreRefreshPets, title: "Retry" },
	};
}

import type { Pet } from "#api/petstore/model.ts";
import { int64Of } from "#base/int64.ts";
import { lossRefusal } from "./loss-refusal.ts";
import type { PetAddress } from "./pet-address.ts";
import type { PetDesk, SentPet } from "./pet-desk.ts";
import {
	askedPet,
	canSend,
	isSamePet,
	type KnownPet,
	NEW_PET,
	petOfText,
	petText,
	readPetText,
	readTextOfPet,
	toldPet,
	withoutZeroId,
} from "./pet-text.ts";
import type { RemoteDocument } from "./remote-text.ts";

/** The path of a pet's document; `id` is its digits. */
export function pathOfPet({ connection, id }: { readonly connection: string; readonly id: string }): string {
	return `/${encodeURIComponent(connection)}/Pet ${id}.json`;
}

/** The pet whose document has that path; undefined for any other. */
export function petOfPath(path: string): PetAddress | undefined {
	const [, digits = ""] = /^\/[^/]+\/Pet (-?\d+)\.json$/.exec(path) ?? [];
	const id = int64Of(digits);
	return id === null ? undefined : { connection: connectionOfPath(path), id };
}

/** The connection in the path of a document. */
export function connectionOfPath(path: string): string {
	const part = path.split("/")[1] ?? "";
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/** Pets, and those that are yet to be, as texts that can be saved. */
export class PetDocuments {
	readonly #desk: PetDesk;
	/** The pets that the documents of new ones have become. */
	readonly #added = new Map<string, KnownPet>();

	constructor(desk: PetDesk) {
		this.#desk = desk;
	}

	/** A path for a pet that is yet to be, which no other of this window has. `taken` tells which are open. */
	newPath(connection: string, taken: (path: string) => boolean): string {
		for (let count = 1; ; count++) {
			const path = `/${encodeURIComponent(connection)}/New Pet${count === 1 ? "" : ` ${count}`}.json`;
			if (!taken(path) && !this.#added.has(path)) return path;
		}
	}

	/** The pet that a document of a new one has become; undefined while it has not. */
	addedFrom(path: string): KnownPet | undefined {
		return this.#added.get(path);
	}

	/** What stands behind a path; undefined for one that is no document. */
	open(path: string): RemoteDocument | undefined {
		const address = petOfPath(path);
		if (address !== undefined) return this.#pet(address);
		return /^\/[^/]+\/New Pet(?: \d+)?\.json$/.test(path) ? this.#newPet(path) : undefined;
	}

	#pet(address: PetAddress): RemoteDocument {
		const { id } = address;
		let told: KnownPet | undefined;
		const read = async () => {
			told = await this.#desk.get(address);
			return told;
		};
		const refuseLoss = lossRefusal(wayBack);
		return {
			read: async () => askedPet(await read()),
			isSame: (one, other) => isSamePet(petOfText(one), petOfText(other)),
			// Which status it may keep is known once the store was asked.
			check: (text) => petText(readTextOfPet(text, { ...statusIn(text), id })),
			isWhole: (text) => petOfText(text).id !== undefined,
			write: async (text, before) => {
				const was = petOfText(before);
				const wanted = readTextOfPet(text, { ...was, id });
				// The text does not tell what else the store has of it.
				const known = told !== undefined && isSamePet(told, was) ? told : await read();
				refuseLoss(known);
				told = await this.#desk.save(address, wanted, isSamePet(known, was) ? known : was);
				return toldPet(told);
			},
		};
	}

	#newPet(path: string): RemoteDocument {
		const connection = connectionOfPath(path);
		const readNew = (text: string) => withoutZeroId(readPetText(text));
		let saved = petText(NEW_PET);
		const refuseLoss = lossRefusal(wayBack);
		/** What a save has sent of which nobody said what became of it. */
		let sent: SentPet | undefined;
		return {
			read: async () => ({ text: saved }),
			check: (text) => petText(readNew(text)),
			write: async (text) => {
				const pet = readNew(text);
				const added = this.#added.get(path) ?? (sent && (await this.#desk.findSent(connection, sent)));
				if (added === undefined) {
					const sending = (each: SentPet) => {
						sent = each;
					};
					this.#added.set(path, await this.#desk.add(connection, pet, { sending }));
				} else {
					// It was saved once more before the document of the pet itself took its place, or was told to be there.
					this.#added.set(path, added);
					const address = { connection, id: added.id };
					const wanted = readTextOfPet(petText(pet), added);
					const before = await this.#desk.get(address);
					if (!isSamePet(wanted, before)) {
						refuseLoss(before);
						this.#added.set(path, await this.#desk.save(address, wanted, before));
					}
				}
				saved = petText(pet);
				return { text: saved };
			},
		};
	}
}

function wayBack(pet: Pet): string {
	return canSend(pet) ? "Undo Last Change of Pet brings it back" : "nothing brings it back";
}

/** The status that a text gives its pet, if it is a pet at all. */
function statusIn(text: string): { readonly status?: string } {
	try {
		const { status } = petOfText(text);
		return status === undefined ? {} : { status };
	} catch {
		return {};
	}
}

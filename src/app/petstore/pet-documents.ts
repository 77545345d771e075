import { int64Of } from "#base/int64.ts";
import type { PetService } from "./pet-service.ts";
import {
	isSamePet,
	type KnownPet,
	NEW_PET,
	type PetAddress,
	petOfText,
	petText,
	readPetText,
	readTextOfPet,
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
	readonly #service: PetService;
	/** The pets that the documents of new ones have become. */
	readonly #added = new Map<string, KnownPet>();

	constructor(service: PetService) {
		this.#service = service;
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

	/** Opens the document of a path; undefined for any other path. */
	open(path: string): RemoteDocument | undefined {
		const address = petOfPath(path);
		if (address !== undefined) return this.#pet(address);
		return /^\/[^/]+\/New Pet(?: \d+)?\.json$/.test(path) ? this.#newPet(path) : undefined;
	}

	#pet(address: PetAddress): RemoteDocument {
		const { id } = address;
		let known: KnownPet | undefined;
		const read = async () => {
			known = await this.#service.get(address);
			return known;
		};
		return {
			read: async () => petText(await read()),
			isSame: (one, other) => isSamePet(petOfText(one), petOfText(other)),
			// Which status it may keep is known once the store was asked.
			check: (text) => petText(readTextOfPet(text, { ...statusIn(text), id })),
			write: async (text, before) => {
				const isRead = known !== undefined && isSamePet(known, petOfText(before));
				const was = known !== undefined && isRead ? known : await read();
				known = await this.#service.save(address, readTextOfPet(text, was), was);
				return petText(known);
			},
		};
	}

	#newPet(path: string): RemoteDocument {
		const connection = connectionOfPath(path);
		const readNew = (text: string) => withoutZeroId(readPetText(text));
		let saved = petText(NEW_PET);
		return {
			read: async () => saved,
			check: (text) => petText(readNew(text)),
			write: async (text) => {
				const pet = readNew(text);
				const added = this.#added.get(path);
				if (added === undefined) {
					const { pet: now, lost, now: there } = await this.#service.add(connection, pet);
					if (lost !== undefined && !there) throw lost;
					this.#added.set(path, now);
				} else {
					// It was saved once more before the document of the pet itself took its place.
					const address = { connection, id: added.id };
					const before = await this.#service.get(address);
					const wanted = readTextOfPet(petText(pet), added);
					this.#added.set(path, await this.#service.save(address, wanted, before));
				}
				saved = petText(pet);
				return saved;
			},
		};
	}
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

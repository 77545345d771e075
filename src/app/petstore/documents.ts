import { invalid } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { orderText, readOrder } from "./orders.ts";
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
import { maskedText } from "./user-text.ts";
import type { UserAddress, Users } from "./users.ts";

/** Subject of a document of a store; a new pet is yet to be. */
export type StoreSubject =
	| ({ readonly kind: "pet" } & PetAddress)
	| { readonly kind: "new pet"; readonly connection: string; readonly count: number }
	| ({ readonly kind: "user" } & UserAddress)
	| { readonly kind: "order"; readonly connection: string; readonly id: string };

/** Path of a document. What a path cannot hold is written as in an address. */
export function documentPath(subject: StoreSubject): string {
	return `/${escaped(subject.connection)}/${nameIn(subject)}.json`;
}

function nameIn(subject: StoreSubject): string {
	switch (subject.kind) {
		case "pet":
			return `Pet ${subject.id}`;
		case "new pet":
			return `New Pet${subject.count === 1 ? "" : ` ${subject.count}`}`;
		case "user":
			return `users/${escaped(subject.username)}`;
		case "order":
			return `orders/${subject.id}`;
	}
}

const PATH = /^\/([^/]+)\/(?:Pet (-?\d+)|New Pet( \d+)?|users\/(.+)|orders\/(.+))\.json$/s;

/** Subject of the document of a path; undefined for any other path. */
export function subjectOf(path: string): StoreSubject | undefined {
	const [, place, pet = "", count, user, order] = PATH.exec(path) ?? [];
	const [connection, username] = [place, user].map(unescaped);
	if (connection === undefined) return undefined;
	if (user !== undefined) return username === undefined ? undefined : { kind: "user", connection, username };
	if (order !== undefined) return { kind: "order", connection, id: order };
	if (pet === "") return { kind: "new pet", connection, count: Number(count ?? 1) };
	const id = int64Of(pet);
	return id === null ? undefined : { kind: "pet", connection, id };
}

function escaped(name: string): string {
	return name.replace(/[%/\\?#:*"<>|]/g, (character) => encodeURIComponent(character));
}

function unescaped(part: string | undefined): string | undefined {
	try {
		return part === undefined ? undefined : decodeURIComponent(part);
	} catch {
		return undefined;
	}
}

/**
 * Contents of stores, and pets that are yet to be, as texts; an order can only be read. They are saved back, so that
 * nothing is taken out of them, not even what is a secret of ours.
 */
export class StoreDocuments {
	readonly #service: PetService;
	readonly #users: Users;
	/** Pets that the documents of new ones have become, by their paths. */
	readonly #added = new Map<string, KnownPet>();

	constructor(service: PetService, users: Users) {
		this.#service = service;
		this.#users = users;
	}

	/**
	 * Subject for a pet that is yet to be, whose path no other of this window has. `taken` is true for paths that are
	 * open.
	 */
	newPet(connection: string, taken: (path: string) => boolean): StoreSubject {
		for (let count = 1; ; count++) {
			const subject = { kind: "new pet", connection, count } as const;
			const path = documentPath(subject);
			if (!taken(path) && !this.#added.has(path)) return subject;
		}
	}

	/** The pet that a document of a new one has become; undefined while it has not. */
	addedFrom(path: string): KnownPet | undefined {
		return this.#added.get(path);
	}

	/** Opens the document of a subject. */
	open(subject: StoreSubject): RemoteDocument {
		switch (subject.kind) {
			case "pet":
				return this.#pet(subject);
			case "new pet":
				return this.#newPet(subject.connection, documentPath(subject));
			case "user": {
				const users = this.#users;
				return { read: () => users.text(subject), check: maskedText, write: (text) => users.save(subject, text) };
			}
			case "order":
				return this.#order(subject);
		}
	}

	#pet({ connection, id }: PetAddress): RemoteDocument {
		const address = { connection, id };
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

	#newPet(connection: string, path: string): RemoteDocument {
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

	/** The contract has no change of an order (section 4). */
	#order({ connection, id }: { readonly connection: string; readonly id: string }): RemoteDocument {
		const refuse = () => {
			throw invalid("petstore", "order", "can only be read");
		};
		const read = async () => {
			const { client } = await this.#service.clients.open(connection);
			return orderText(await readOrder(client, id));
		};
		return { read, check: refuse, write: refuse };
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

import { orderShape, type PetToSend, type User } from "#api/petstore/model.ts";
import { isSameRecord } from "#api/petstore/shape.ts";
import { invalid } from "#base/errors.ts";
import { percentDecoded } from "#base/escaped.ts";
import { int64Of } from "#base/int64.ts";
import { type ListedOrder, orderText, readOrder } from "./orders.ts";
import type { PetService } from "./pet-service.ts";
import {
	isSamePet,
	type KnownPet,
	NEW_PET,
	type PetAddress,
	parsePet,
	parsePetOf,
	petText,
	sameId,
	sendable,
} from "./pet-text.ts";
import type { RemoteDocument } from "./remote-text.ts";
import { isSameUser, parseUser, userText } from "./user-text.ts";
import type { UserAddress, Users } from "./users.ts";

/** Subject of a document of a store. */
export type StoreSubject =
	| ({ readonly kind: "pet" } & PetAddress)
	| { readonly kind: "new pet"; readonly connection: string; readonly count: number }
	| ({ readonly kind: "user" } & UserAddress)
	| { readonly kind: "order"; readonly connection: string; readonly id: string };

/** Value of a document. */
export type StoreValue = KnownPet | PetToSend | User | ListedOrder;

/** Path of a document, percent-encoded where needed. */
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
	const [connection, username] = [place, user].map((part) => part && percentDecoded(part));
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

/** Documents of stores. They are saved back, so their text is not redacted; orders are read-only. */
export class StoreDocuments {
	readonly #service: PetService;
	readonly #users: Users;
	/** Pets that the documents of new ones have become, by their paths. */
	readonly #added = new Map<string, KnownPet>();

	constructor(service: PetService, users: Users) {
		this.#service = service;
		this.#users = users;
	}

	/** Subject for a new pet with a path that no document of this window has. `taken` is true for open paths. */
	newPet(connection: string, taken: (path: string) => boolean): StoreSubject {
		for (let count = 1; ; count++) {
			const subject = { kind: "new pet", connection, count } as const;
			const path = documentPath(subject);
			if (!taken(path) && !this.#added.has(path)) return subject;
		}
	}

	/** Pet that was added from the document of a new one; undefined if it was not saved yet. */
	addedFrom(path: string): KnownPet | undefined {
		return this.#added.get(path);
	}

	open(subject: StoreSubject): RemoteDocument<StoreValue> {
		switch (subject.kind) {
			case "pet": {
				const { connection, id } = subject;
				const address = { connection, id };
				return {
					read: () => this.#service.get(address),
					parse: (text) => parsePetOf(id, text),
					print: petText,
					isSame: isSamePet,
					write: (pet, before) => this.#service.save(address, sendable(pet), before),
				} satisfies RemoteDocument<KnownPet>;
			}
			case "new pet":
				return this.#newPet(subject.connection, documentPath(subject));
			case "user":
				return {
					read: () => this.#users.get(subject),
					parse: parseUser,
					print: userText,
					isSame: isSameUser,
					write: (user) => this.#users.save(subject, user),
				} satisfies RemoteDocument<User>;
			case "order":
				return this.#order(subject);
		}
	}

	#newPet(connection: string, path: string): RemoteDocument<PetToSend> {
		let saved = NEW_PET;
		return {
			read: async () => saved,
			parse: parsePet,
			print: petText,
			isSame: isSamePet,
			write: async (pet) => {
				const added = this.#added.get(path);
				if (added === undefined) {
					const { pet: now, lost, now: there } = await this.#service.add(connection, pet);
					if (lost !== undefined && !there) throw lost;
					this.#added.set(path, now);
				} else {
					// Saved once more before the document of the added pet took its place.
					const address = { connection, id: sameId(added.id, pet) };
					this.#added.set(path, await this.#service.save(address, pet, await this.#service.get(address)));
				}
				saved = pet;
				return pet;
			},
		};
	}

	/** The contract has no change of an order (section 4). */
	#order({ connection, id }: { readonly connection: string; readonly id: string }): RemoteDocument<ListedOrder> {
		const refuse = () => {
			throw invalid("petstore", "order", "can only be read");
		};
		const read = async () => {
			const { client } = await this.#service.clients.open(connection);
			return readOrder(client, id);
		};
		const isSame = (one: ListedOrder, other: ListedOrder) => isSameRecord<ListedOrder>(orderShape, one, other);
		return { read, parse: refuse, print: orderText, isSame, write: refuse };
	}
}

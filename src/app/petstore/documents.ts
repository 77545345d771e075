import { writeJson } from "#api/petstore/json-merge.ts";
import { orderShape, type PetToSend, type User } from "#api/petstore/model.ts";
import { isSameRecord, rawOf, withRaw } from "#api/petstore/shape.ts";
import { invalid } from "#base/errors.ts";
import { percentDecoded } from "#base/escaped.ts";
import { int64Of } from "#base/int64.ts";
import { oneLine } from "#base/one-line.ts";
import { type ListedOrder, readOrder } from "./orders.ts";
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

/**
 * Address of a document within its scheme. The path shows its `store` and its own `name`, that of an order's pet, which may
 * change; the query alone leads to the subject.
 */
export function subjectAddress(subject: StoreSubject, store: string, name = "") {
	const path = `/${pathSegment(store, "Pet Store")}/${fileOf(subject, name)}.json`;
	return { path, query: documentKey(subject) };
}

/** Name without what has a meaning in a path, as one segment of one; `otherwise` if nothing is left. */
export function pathSegment(name: string, otherwise: string): string {
	const segment = oneLine(name, 60).replaceAll(/[%/\\?#:*"<>|]/g, "_");
	return /^\.*$/.test(segment) ? otherwise : segment;
}

function fileOf(subject: StoreSubject, name: string): string {
	switch (subject.kind) {
		case "pet":
			return pathSegment(name, `Pet ${subject.id}`);
		case "new pet":
			return `New Pet${subject.count === 1 ? "" : ` ${subject.count}`}`;
		case "user":
			return `users/${pathSegment(subject.username, "User")}`;
		case "order":
			return `orders/Order ${subject.id}${name && ` for ${pathSegment(name, "Pet")}`}`;
	}
}

/** Query of the address of a document, which no other subject has. */
export function documentKey(subject: StoreSubject): string {
	const { connection, kind } = subject;
	const which = kind === "new pet" ? subject.count : kind === "user" ? subject.username : subject.id;
	return [connection, kind, which].map(encodeURIComponent).join("/");
}

/** Subject of the document of an address; undefined for any other address. */
export function subjectOf({ query }: Pick<ReturnType<typeof subjectAddress>, "query">): StoreSubject | undefined {
	const [connection, kind, which] = query.split("/").map(percentDecoded);
	if (!connection || !which) return undefined;
	if (kind === "user") return { kind, connection, username: which };
	if (kind === "order") return { kind, connection, id: which };
	if (kind === "new pet") return { kind, connection, count: Number(which) };
	const id = kind === "pet" ? int64Of(which) : null;
	return id === null ? undefined : { kind: "pet", connection, id };
}

/** Documents of stores. They are saved back, so their text is not redacted; orders are read-only. */
export class StoreDocuments {
	readonly #service: PetService;
	readonly #users: Users;
	/** Pets that the documents of new ones have become, by their keys. */
	readonly #added = new Map<string, KnownPet>();
	/** JSON of the pets that new ones are duplicates of, by the keys of their documents. */
	readonly #originals = new Map<string, unknown>();

	constructor(service: PetService, users: Users) {
		this.#service = service;
		this.#users = users;
	}

	/** Subject for a new pet that no document of this window has. Unknown fields of `content` are added with it. */
	newPet(connection: string, content: PetToSend, taken: (subject: StoreSubject) => boolean): StoreSubject {
		for (let count = 1; ; count++) {
			const subject = { kind: "new pet", connection, count } as const;
			const key = documentKey(subject);
			if (taken(subject) || this.#added.has(key)) continue;
			this.#originals.set(key, rawOf(content));
			return subject;
		}
	}

	/** Pet that was added from the document of a new one; undefined if it was not saved yet. */
	addedFrom(subject: StoreSubject): KnownPet | undefined {
		return this.#added.get(documentKey(subject));
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
				return this.#newPet(subject.connection, documentKey(subject));
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

	#newPet(connection: string, key: string): RemoteDocument<PetToSend> {
		let saved = NEW_PET;
		return {
			read: async () => saved,
			parse: (text) => withRaw(this.#originals.get(key), parsePet(text)),
			print: petText,
			isSame: isSamePet,
			write: async (pet) => {
				const added = this.#added.get(key);
				if (added === undefined) {
					const { pet: now, lost, now: there } = await this.#service.add(connection, pet);
					if (lost !== undefined && !there) throw lost;
					this.#added.set(key, now);
				} else {
					// Saved once more before the document of the added pet took its place.
					const address = { connection, id: sameId(added.id, pet) };
					this.#added.set(key, await this.#service.save(address, pet, await this.#service.get(address)));
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
		const read = async () => readOrder((await this.#service.clients.open(connection)).client, id);
		const print = (order: ListedOrder) => writeJson(orderShape, order);
		const isSame = (one: ListedOrder, other: ListedOrder) => isSameRecord<ListedOrder>(orderShape, one, other);
		return { read, parse: refuse, print, isSame, write: refuse };
	}
}

import {
	type Named,
	type PetDraft,
	SALE_STATUSES,
	type StoreOrder,
	type StorePet,
	type StoreUser,
	type UserDraft,
} from "./model.ts";
import type { createSeed } from "./seed.ts";

/** Tag that a change by another client adds. */
const CHANGED = "changed elsewhere";

/** First id for pets without one, above those of seeds. */
const FIRST_FREE_PET = 20_001n;

/** Pets, orders and users in memory. */
export class Store {
	readonly pets: Map<bigint, StorePet>;
	readonly orders: Map<bigint, StoreOrder>;
	readonly users: Map<string, StoreUser>;
	readonly #seeded: ReadonlyMap<bigint, string | undefined>;
	#changes = 0n;

	constructor({ pets, orders, users }: ReturnType<typeof createSeed>) {
		this.#seeded = new Map(pets.map(({ id, status }) => [id, status]));
		this.pets = new Map(pets.map((pet) => [pet.id, pet]));
		this.orders = new Map(orders.map((order) => [order.id, order]));
		this.users = new Map(users.map((user) => [user.username, user]));
	}

	/** Statuses that a pet may get: those of the contract (section 3), and its own undocumented ones. */
	statuses(id?: bigint): readonly string[] {
		if (id === undefined) return SALE_STATUSES;
		const own = [this.#seeded.get(id), this.pets.get(id)?.status].filter((status) => status !== undefined);
		return [...new Set([...SALE_STATUSES, ...own])];
	}

	/** Adds a pet, or replaces the one with its id; without an id, or with 0, it gets a free one. */
	addPet(draft: PetDraft): StorePet {
		return this.setPet({ ...draft, id: draft.id || freeIn(this.pets, FIRST_FREE_PET) });
	}

	setPet(pet: StorePet): StorePet {
		this.pets.set(pet.id, pet);
		return pet;
	}

	/** Changes a pet as another client would. */
	changePet(pet: StorePet): void {
		const others = (pet.tags ?? []).filter(({ name }) => name !== CHANGED);
		const tag: Named = { id: ++this.#changes, name: CHANGED };
		this.setPet({ ...pet, tags: [...others, tag] });
	}

	/** Adds a user, or replaces the one with the name. */
	setUser(username: string, draft: UserDraft): StoreUser {
		const taken = new Map(this.users.values().map(({ id }) => [id, true]));
		const user = { ...draft, id: draft.id || freeIn(taken, 1001n), username };
		this.users.set(username, user);
		return user;
	}
}

/** First unused id from a number on. */
export function freeIn(taken: ReadonlyMap<bigint, unknown>, from: bigint): bigint {
	let id = from;
	while (taken.has(id)) id++;
	return id;
}

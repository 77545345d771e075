import {
	type Named,
	type PetDraft,
	SALE_STATUSES,
	type StoreOrder,
	type StorePet,
	type StoreUser,
	type UserDraft,
} from "./model.ts";
import type { Seed } from "./seed.ts";

/** Name of the tag that another client's change leaves. */
const CHANGED = "changed elsewhere";

/** Ids given to pets that come without one begin here, out of the way of seeds. */
const FIRST_FREE_PET = 20_001n;

/** The pets, orders and users of a start, in memory. */
export class Store {
	/** Pets by id, the oldest first. */
	readonly pets: Map<bigint, StorePet>;
	readonly orders: Map<bigint, StoreOrder>;
	readonly users: Map<string, StoreUser>;
	/** The status that a pet was seeded with, by its id. */
	readonly #seeded: ReadonlyMap<bigint, string | undefined>;
	#changes = 0n;

	constructor({ pets, orders, users }: Seed) {
		this.#seeded = new Map(pets.map(({ id, status }) => [id, status]));
		this.pets = new Map(pets.map((pet) => [pet.id, pet]));
		this.orders = new Map(orders.map((order) => [order.id, order]));
		this.users = new Map(users.map((user) => [user.username, user]));
	}

	/**
	 * Statuses that a pet may be given: those of the contract (section 3), and any that this store has sent for that very
	 * pet, which it also takes back.
	 */
	statuses(id?: bigint): readonly string[] {
		if (id === undefined) return SALE_STATUSES;
		const own = [this.#seeded.get(id), this.pets.get(id)?.status].filter((status) => status !== undefined);
		return [...new Set([...SALE_STATUSES, ...own])];
	}

	/** Adds a pet, or replaces the one with its id. Without an id, or with 0, it gets a free one. */
	addPet(draft: PetDraft): StorePet {
		return this.setPet({ ...draft, id: draft.id || freeIn(this.pets, FIRST_FREE_PET) });
	}

	/** Puts a pet under its id. */
	setPet(pet: StorePet): StorePet {
		this.pets.set(pet.id, pet);
		return pet;
	}

	/** Changes a pet as another client would: a tag of it gets another id. */
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

/** The first id from one on that is not taken. */
export function freeIn(taken: ReadonlyMap<bigint, unknown>, from: bigint): bigint {
	let id = from;
	while (taken.has(id)) id++;
	return id;
}

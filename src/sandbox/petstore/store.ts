import {
	type Named,
	type Order,
	type OrderDraft,
	PET_STATUSES,
	type Pet,
	type PetDraft,
	type User,
	type UserDraft,
} from "./model.ts";
import type { Seed } from "./seed.ts";

/** The name of the tag that somebody else's change leaves. */
const CHANGED = "changed elsewhere";

/** Ids given to pets that come without one begin here, out of the way of seeds. */
const FIRST_FREE_PET = 20_001n;

/** The pets, orders and users of a start, in memory. */
export class Store {
	/** By id, the oldest first. */
	readonly #pets: Map<bigint, Pet>;
	readonly #orders: Map<bigint, Order>;
	readonly #users: Map<string, User>;
	/** The status that a pet was seeded with, by its id. */
	readonly #seeded: ReadonlyMap<bigint, string | undefined>;
	#changes = 0n;

	constructor({ pets, orders, users }: Seed) {
		this.#seeded = new Map(pets.map(({ id, status }) => [id, status]));
		this.#pets = new Map(pets.map((pet) => [pet.id, pet]));
		this.#orders = new Map(orders.map((order) => [order.id, order]));
		this.#users = new Map(users.map((user) => [user.username, user]));
	}

	/**
	 * The statuses that a pet may be given: those of the contract (section 3), and what this store tells or told of that
	 * very pet, which it also takes back.
	 */
	statuses(id?: bigint): readonly string[] {
		if (id === undefined) return PET_STATUSES;
		const own = [this.#seeded.get(id), this.pet(id)?.status].filter((status) => status !== undefined);
		return [...new Set([...PET_STATUSES, ...own])];
	}

	/** All pets, the oldest first. */
	pets(): readonly Pet[] {
		return [...this.#pets.values()];
	}

	/** The pet with an id. */
	pet(id: bigint): Pet | undefined {
		return this.#pets.get(id);
	}

	/**
	 * Adds a pet, or replaces the one with its id. Without an id, or with 0, it gets a free one, or takes the place of the pet
	 * with the highest. Beyond `capacity` the oldest pet goes.
	 */
	addPet(
		draft: PetDraft,
		{ overwritesHighest = false, capacity }: { overwritesHighest?: boolean; capacity?: number } = {},
	): Pet {
		const isNew = draft.id === undefined || draft.id === 0n;
		const id = isNew ? (overwritesHighest ? this.#highest() : freeIn(this.#pets, FIRST_FREE_PET)) : (draft.id ?? 0n);
		const pet = this.setPet({ ...draft, id });
		for (const oldest of this.#pets.keys()) {
			if (this.#pets.size <= (capacity ?? this.#pets.size)) break;
			this.#pets.delete(oldest);
		}
		return pet;
	}

	/** Puts a pet under its id. */
	setPet(pet: Pet): Pet {
		this.#pets.set(pet.id, pet);
		return pet;
	}

	/** Takes a pet out. Returns whether it was there. */
	deletePet(id: bigint): boolean {
		return this.#pets.delete(id);
	}

	/** Changes a pet as somebody else would: a tag of it gets another id. */
	changePet(pet: Pet): void {
		const others = (pet.tags ?? []).filter(({ name }) => name !== CHANGED);
		const tag: Named = { id: ++this.#changes, name: CHANGED };
		this.setPet({ ...pet, tags: [...others, tag] });
	}

	/** Number of pets by status. Pets without one are in none. */
	inventory(): Readonly<Record<string, number>> {
		const counts = new Map<string, number>();
		for (const { status } of this.#pets.values()) {
			if (status !== undefined) counts.set(status, (counts.get(status) ?? 0) + 1);
		}
		return Object.fromEntries(counts);
	}

	/** The order with an id. */
	order(id: bigint): Order | undefined {
		return this.#orders.get(id);
	}

	/** Adds an order, or replaces the one with its id. Without an id, or with 0, it gets the lowest free one. */
	placeOrder(draft: OrderDraft): Order {
		const id = draft.id === undefined || draft.id === 0n ? freeIn(this.#orders, 1n) : draft.id;
		const order = { ...draft, id };
		this.#orders.set(id, order);
		return order;
	}

	/** Takes an order out. Returns whether it was there. */
	deleteOrder(id: bigint): boolean {
		return this.#orders.delete(id);
	}

	/** The user with a name. */
	user(username: string): User | undefined {
		return this.#users.get(username);
	}

	/** Adds a user, or replaces the one with the name. */
	setUser(username: string, draft: UserDraft): User {
		const id = draft.id === undefined || draft.id === 0n ? this.#freeUserId() : draft.id;
		const user = { ...draft, id, username };
		this.#users.set(username, user);
		return user;
	}

	/** Takes a user out. Returns whether it was there. */
	deleteUser(username: string): boolean {
		return this.#users.delete(username);
	}

	#highest(): bigint {
		return this.#pets.keys().reduce((highest, id) => (id > highest ? id : highest), 1n);
	}

	#freeUserId(): bigint {
		return freeIn(new Map(this.#users.values().map(({ id }) => [id, true])), 1001n);
	}
}

function freeIn(taken: ReadonlyMap<bigint, unknown>, from: bigint): bigint {
	let id = from;
	while (taken.has(id)) id++;
	return id;
}

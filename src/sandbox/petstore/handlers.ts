import { ClientError } from "#base/errors.ts";
import { anything, list, map, oneOf, refine, text } from "#base/schema.ts";
import { Refused } from "#sandbox/http.ts";
import { shape, strictly, violation } from "#sandbox/strict.ts";
import type { Body } from "./body.ts";
import type { PetstoreFaults } from "./faults.ts";
import {
	exactInt64,
	idInPath,
	orderDraft,
	petWith,
	SALE_STATUSES,
	type StoreOrder,
	type StorePet,
	type StoreUser,
	userDraft,
	username,
} from "./model.ts";
import type { Pictures } from "./pictures.ts";
import type { Operation } from "./route.ts";
import { freeIn, type Store } from "./store.ts";

interface Success {
	readonly root: string;
	/** JSON value with `bigint` ids; undefined fields are left out. */
	readonly value: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Implements an operation. Throws ClientError `invalid` or `Refused`. */
export type Handler = (task: {
	/** Decoded variable segment of the path; empty for none. */
	readonly segment: string;
	readonly query: URLSearchParams;
	readonly body: Body;
	readonly faults: PetstoreFaults;
}) => Success;

/** ApiResponse (contract section 2), also where the contract shows no successful reply. */
function apiResponse(message: string): Success {
	return { root: "ApiResponse", value: { code: 200, type: "unknown", message } };
}

function orderAnswer({ shipDate, ...order }: StoreOrder): Success {
	const date = shipDate === undefined ? undefined : new Date(shipDate).toISOString();
	return { root: "Order", value: { ...order, shipDate: date } };
}

const anyObject = map(anything());

const newUser = refine(userDraft, ({ username: name }) => (name === undefined ? "must have a username" : undefined));

/** Calls per hour that a login reports; the contract names no number. */
const RATE_LIMIT = 5000;

const SESSION_MS = 3_600_000;

/** Handlers of all operations. `now` is epoch milliseconds, `picturesUrl` the address of the pictures. */
export function petstoreHandlers(
	store: Store,
	pictures: Pictures,
	{ picturesUrl, now }: { readonly picturesUrl: string; readonly now: () => number },
): Readonly<Record<Operation, Handler>> {
	const createMany: Handler = ({ body }) => {
		// Validates all before it creates the first.
		for (const draft of strictly(list(newUser), body.value)) store.setUser(draft.username ?? "", draft);
		return apiResponse("ok");
	};

	return {
		addPet({ body }) {
			const { id } = strictly(anyObject, body.value);
			const draft = strictly(petWith(store.statuses(typeof id === "bigint" ? id : undefined)), body.value);
			return petAnswer(store.addPet(draft));
		},

		updatePet({ body }) {
			const id = bodyId(body.value);
			const draft = strictly(petWith(store.statuses(id)), body.value);
			if (!store.pets.has(id)) throw notThere();
			return petAnswer(store.setPet({ ...draft, id }));
		},

		findPetsByStatus({ query }) {
			const given = valuesOf("status", query).map((one) => strictly(oneOf(...SALE_STATUSES), one, "status"));
			const asked: ReadonlySet<unknown> = new Set(given);
			return petsAnswer([...store.pets.values()].filter(({ status }) => asked.has(status)));
		},

		findPetsByTags({ query }) {
			const asked: ReadonlySet<string | undefined> = new Set(valuesOf("tags", query));
			if (asked.has("")) throw violation("tags", "must not be empty");
			return petsAnswer([...store.pets.values()].filter(({ tags = [] }) => tags.some(({ name }) => asked.has(name))));
		},

		getPetById({ segment, faults }) {
			const pet = found(store, segment);
			if (faults.changeAfterRead) store.changePet(pet);
			return petAnswer(pet);
		},

		updatePetWithForm({ segment, body }) {
			const id = idInPath(segment, "petId");
			const fields = shape({}, { name: text(), status: oneOf(...store.statuses(id), "") });
			const { name = "", status = "" } = strictly(fields, Object.fromEntries(body.form ?? []));
			const pet = store.pets.get(id);
			// The contract lists only 405, even for a missing pet.
			if (pet === undefined) throw violation("petId", "must be the id of a pet");
			store.setPet({ ...pet, ...(name !== "" && { name }), ...(status !== "" && { status }) });
			return apiResponse(`${id}`);
		},

		deletePet({ segment }) {
			const { id } = found(store, segment);
			store.pets.delete(id);
			return apiResponse(`${id}`);
		},

		uploadFile({ segment, body }) {
			const pet = found(store, segment);
			const { additionalMetadata = "none", file } = body.parts ?? {};
			const name = file && pictures.keep(pet.id, file.bytes);
			if (name !== undefined) store.setPet({ ...pet, photoUrls: [...pet.photoUrls, `${picturesUrl}/${name}`] });
			const what = file === undefined ? "No file was sent" : `${file.name} was kept, ${file.bytes.length} bytes`;
			return apiResponse(`additionalMetadata: ${additionalMetadata}\n${what}`);
		},

		getInventory() {
			// Pets without a status are not counted.
			const statuses = [...store.pets.values()].flatMap(({ status }) => status ?? []);
			const counts = Object.entries(Object.groupBy(statuses, String)).map(([status, all]) => [status, all?.length]);
			return { root: "inventory", value: Object.fromEntries(counts) };
		},

		/** An order without an id, or with 0, gets the lowest free one. */
		placeOrder({ body }) {
			const draft = strictly(orderDraft, body.value);
			const order = { ...draft, id: draft.id || freeIn(store.orders, 1n) };
			store.orders.set(order.id, order);
			return orderAnswer(order);
		},

		getOrderById({ segment }) {
			const id = idInPath(segment, "orderId");
			if (id < 1n || id > 10n) throw violation("orderId", "must be 1 to 10");
			const order = store.orders.get(id);
			if (order === undefined) throw new Refused(404, "Order not found");
			return orderAnswer(order);
		},

		deleteOrder({ segment }) {
			const id = idInPath(segment, "orderId");
			if (id < 1n) throw violation("orderId", "must be at least 1");
			if (!store.orders.delete(id)) throw new Refused(404, "Order not found");
			return apiResponse(`${id}`);
		},

		createUser({ body }) {
			const draft = strictly(newUser, body.value);
			const { id } = store.setUser(draft.username ?? "", draft);
			return apiResponse(`${id}`);
		},

		createUsersWithListInput: createMany,

		createUsersWithArrayInput: createMany,

		getUserByName: ({ segment }) => ({ root: "User", value: foundUser(store, segment) }),

		updateUser({ segment, body }) {
			const draft = strictly(userDraft, body.value);
			const user = foundUser(store, segment);
			const renamed = draft.username ?? user.username;
			if (renamed !== user.username) store.users.delete(user.username);
			const { id } = store.setUser(renamed, { ...draft, id: draft.id ?? user.id });
			return apiResponse(`${id}`);
		},

		deleteUser({ segment }) {
			const user = foundUser(store, segment);
			store.users.delete(user.username);
			return apiResponse(user.username);
		},

		loginUser({ query }) {
			const [name = ""] = valuesOf("username", query);
			const [password] = valuesOf("password", query);
			if (store.users.get(name)?.password !== password) throw new Refused(400, "Invalid username/password supplied");
			const time = now();
			const headers = {
				"x-rate-limit": `${RATE_LIMIT}`,
				"x-expires-after": new Date(time + SESSION_MS).toISOString(),
			};
			return { root: "string", value: `logged in user session:${time}`, headers };
		},

		logoutUser: () => apiResponse("ok"),
	};
}

/** Id of a body; an invalid one has a refusal of its own. */
function bodyId(value: unknown): bigint {
	const { id } = strictly(anyObject, value);
	try {
		return strictly(exactInt64, id, "id");
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		throw new Refused(400, `Invalid ID supplied: ${error.message}`);
	}
}

function found(store: Store, segment: string): StorePet {
	const pet = store.pets.get(idInPath(segment, "petId"));
	if (pet === undefined) throw notThere();
	return pet;
}

function notThere(): Refused {
	return new Refused(404, "Pet not found");
}

/** Pet with its fields in the order of the contract. */
function petFields({ id, category, name, photoUrls, tags, status }: StorePet): object {
	return { id, category, name, photoUrls, tags, status };
}

function petAnswer(pet: StorePet): Success {
	return { root: "Pet", value: petFields(pet) };
}

function petsAnswer(pets: readonly StorePet[]): Success {
	return { root: "pets", value: pets.map(petFields) };
}

/** Values of a repeatable parameter, of which one is required. */
function valuesOf(name: string, query: URLSearchParams): readonly string[] {
	const values = query.getAll(name);
	if (values.length === 0) throw violation(name, "is required");
	return values;
}

function foundUser(store: Store, segment: string): StoreUser {
	const user = store.users.get(strictly(username, segment, "username"));
	if (user === undefined) throw new Refused(404, "User not found");
	return user;
}

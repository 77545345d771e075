import { ClientError } from "#base/errors.ts";
import { anything, list, map, oneOf, refine } from "#base/schema.ts";
import { Refused } from "#sandbox/http.ts";
import { shape, strictly, violation } from "#sandbox/strict.ts";
import type { PetstoreBehaviour } from "./behaviour.ts";
import type { Body } from "./body.ts";
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
	words,
} from "./model.ts";
import type { Pictures } from "./pictures.ts";
import type { Operation } from "./route.ts";
import { freeIn, type Store } from "./store.ts";

/** Request that a handler answers. */
interface Task {
	/** The variable segment of the path, decoded; empty where there is none. */
	readonly segment: string;
	readonly query: URLSearchParams;
	readonly body: Body;
	readonly behaviour: PetstoreBehaviour;
}

/** A good answer of an operation. */
export interface Success {
	/** The name of its root element in XML. */
	readonly root: string;
	/** Value as JSON would have it, with ids as `bigint`; a field that is undefined is left out. */
	readonly value: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as it is, whatever was asked for. */
	readonly plain?: boolean;
	/** The message of an ApiResponse in its place; only where the contract does not show what success looks like. */
	readonly unshown?: string;
}

/** Does one operation. Throws ClientError `invalid` or `Refused`. */
export type Handler = (task: Task) => Success;

/** An ApiResponse (contract section 2). */
function apiResponse(message: string, { apiCode = 200 }: PetstoreBehaviour): Success {
	return { root: "ApiResponse", value: { code: apiCode, type: "unknown", message } };
}

/** An ApiResponse where the contract does not show what success looks like. */
function done(message: string, behaviour: PetstoreBehaviour): Success {
	return { ...apiResponse(message, behaviour), unshown: message };
}

/** Order as it is sent, its fields in the order of the contract. */
function orderAnswer(order: StoreOrder, { dates }: PetstoreBehaviour): Success {
	const { id, petId, quantity, shipDate, status, complete } = order;
	const date = shipDate === undefined ? undefined : dateTimeText(shipDate, dates);
	return { root: "Order", value: { id, petId, quantity, shipDate: date, status, complete } };
}

/** A time in epoch milliseconds as a date-time, in the form that was asked for. */
function dateTimeText(time: number, form: PetstoreBehaviour["dates"]): string {
	switch (form) {
		case "no-colon":
			return new Date(time).toISOString().replace("Z", "+0000");
		case "offset":
			return new Date(time + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
		default:
			return new Date(time).toISOString();
	}
}

type SomeHandlers = Partial<Record<Operation, Handler>>;

const anyObject = map(anything());

/** A user to create, who cannot be without a name. */
const newUser = refine(userDraft, ({ username: name }) => (name === undefined ? "must have a username" : undefined));

/** Pet as some servers send it. */
const STRAY = { id: 9099n, status: "lost" };

/** Answers the operations on pets. */
export function petHandlers(store: Store, pictures: Pictures, picturesUrl: string) {
	return {
		addPet({ body, behaviour }) {
			const overwritesHighest = behaviour.quirks?.includes("post-overwrites") ?? false;
			const { capacity = Number.POSITIVE_INFINITY } = behaviour;
			const { id } = strictly(anyObject, body.value);
			const draft = strictly(petWith(store.statuses(typeof id === "bigint" ? id : undefined)), body.value);
			return written(store.addPet(draft, { overwritesHighest, capacity }));
		},

		updatePet({ body, behaviour }) {
			const id = bodyId(body.value);
			const draft = strictly(petWith(store.statuses(id)), body.value);
			if (!store.pets.has(id) && !behaviour.quirks?.includes("put-creates")) throw notThere();
			return written(store.setPet({ ...draft, id }));
		},

		findPetsByStatus({ query, behaviour }) {
			const known: ReadonlySet<unknown> = new Set(SALE_STATUSES);
			const given = valuesOf("status", { query, behaviour });
			const asked: ReadonlySet<unknown> = new Set(given.map((one) => strictly(oneOf(...SALE_STATUSES), one, "status")));
			const all = [...store.pets.values()];
			const found = all.filter(({ status }) => asked.has(status));
			if (!behaviour.quirks?.includes("stray-pets")) return listed(found.map(told), behaviour);
			const strays = all.filter(({ status }) => !known.has(status));
			return listed([...[...found, ...strays].map(told), STRAY], behaviour);
		},

		findPetsByTags({ query, behaviour }) {
			const asked: ReadonlySet<string | undefined> = new Set(valuesOf("tags", { query, behaviour }));
			if (asked.has("")) throw violation("tags", "must not be empty");
			const found = [...store.pets.values()].filter(({ tags = [] }) => tags.some(({ name }) => asked.has(name)));
			return listed(found.map(told), behaviour);
		},

		getPetById({ segment, behaviour }) {
			const pet = found(store, segment);
			if (behaviour.changeAfterRead) store.changePet(pet);
			return { root: "Pet", value: told(pet) };
		},

		updatePetWithForm({ segment, body, behaviour }) {
			const id = idInPath(segment, "petId");
			const fields = shape({}, { name: words, status: oneOf(...store.statuses(id), "") });
			const { name = "", status = "" } = strictly(fields, single(body.form ?? new URLSearchParams()));
			const pet = store.pets.get(id);
			// Nothing but 405 is listed here, not even for a pet that is not there.
			if (pet === undefined) throw violation("petId", "must be the id of a pet");
			const changed = store.setPet({ ...pet, ...(name !== "" && { name }), ...(status !== "" && { status }) });
			return behaviour.writeReply?.body === "pet" ? written(changed) : done(`${id}`, behaviour);
		},

		deletePet({ segment, behaviour }) {
			const { id } = found(store, segment);
			store.pets.delete(id);
			return done(`${id}`, behaviour);
		},

		uploadFile({ segment, body, behaviour }) {
			const pet = found(store, segment);
			const { additionalMetadata = "none", file } = body.parts ?? {};
			const name = file && pictures.keep(pet.id, file.bytes);
			if (name !== undefined) store.setPet({ ...pet, photoUrls: [...pet.photoUrls, `${picturesUrl}/${name}`] });
			const what = file === undefined ? "No file was sent" : `${file.name} was kept, ${file.bytes.length} bytes`;
			return apiResponse(`additionalMetadata: ${additionalMetadata}\n${what}`, behaviour);
		},
	} satisfies SomeHandlers;
}

/** The id in a body: wrong or missing, it is a matter of its own. */
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

/** A pet with its fields in the order of the contract. */
function told({ id, category, name, photoUrls, tags, status }: StorePet): object {
	return { id, category, name, photoUrls, tags, status };
}

function written(pet: StorePet): Success {
	return { root: "Pet", value: told(pet), unshown: `${pet.id}` };
}

function listed(pets: readonly unknown[], { quirks }: Task["behaviour"]): Success {
	const foreign = quirks?.includes("foreign-items") ? ["no pet", { code: 7 }] : [];
	return { root: quirks?.includes("xml-items") ? "List" : "pets", value: [...foreign, ...pets] };
}

/** The values of a repeated parameter, of which there must be one. */
function valuesOf(name: string, { query, behaviour }: Pick<Task, "query" | "behaviour">): readonly string[] {
	const values = query.getAll(name);
	if (values.length === 0) throw violation(name, "is required");
	return behaviour.quirks?.includes("first-query-only") ? values.slice(0, 1) : values;
}

function single(form: URLSearchParams): Readonly<Record<string, string>> {
	for (const name of form.keys()) {
		if (form.getAll(name).length > 1) throw violation(name, "comes twice");
	}
	return Object.fromEntries(form);
}

/** Answers the operations on the inventory and on orders. */
export function storeHandlers(store: Store) {
	return {
		getInventory() {
			// Pets without a status are in none.
			const statuses = [...store.pets.values()].flatMap(({ status }) => status ?? []);
			const counts = Object.entries(Object.groupBy(statuses, String)).map(([status, all]) => [status, all?.length]);
			return { root: "inventory", value: Object.fromEntries(counts) };
		},

		/** Without an id, or with 0, an order gets the lowest free one. */
		placeOrder({ body, behaviour }) {
			const draft = strictly(orderDraft, body.value);
			const order = { ...draft, id: draft.id || freeIn(store.orders, 1n) };
			store.orders.set(order.id, order);
			return orderAnswer(order, behaviour);
		},

		getOrderById({ segment, behaviour }) {
			const id = idInPath(segment, "orderId");
			if (id < 1n || id > 10n) throw violation("orderId", "must be 1 to 10");
			const order = store.orders.get(id);
			if (order === undefined) throw new Refused(404, "Order not found");
			return orderAnswer(order, behaviour);
		},

		deleteOrder({ segment, behaviour }) {
			const id = idInPath(segment, "orderId");
			if (id < 1n) throw violation("orderId", "must be at least 1");
			if (!store.orders.delete(id)) throw new Refused(404, "Order not found");
			return done(`${id}`, behaviour);
		},
	} satisfies SomeHandlers;
}

/** Calls per hour in the reply to a login; the contract names no number. */
const RATE_LIMIT = 5000;

/** Answers the operations on users. `now` is epoch milliseconds. */
export function userHandlers(store: Store, now: () => number) {
	// There is one session, as the contract names nothing that a client could prove its own with.
	let isLoggedIn = false;

	const checkSession = ({ quirks }: PetstoreBehaviour): void => {
		if (quirks?.includes("users-need-login") && !isLoggedIn) throw new Refused(401, "Not logged in");
	};

	const createMany: Handler = ({ body, behaviour }) => {
		checkSession(behaviour);
		// All are looked at before the first is made.
		for (const draft of strictly(list(newUser), body.value)) store.setUser(draft.username ?? "", draft);
		return done("ok", behaviour);
	};

	return {
		createUser({ body, behaviour }) {
			checkSession(behaviour);
			const draft = strictly(newUser, body.value);
			const { id } = store.setUser(draft.username ?? "", draft);
			return done(`${id}`, behaviour);
		},

		createUsersWithListInput: createMany,

		createUsersWithArrayInput: createMany,

		getUserByName: ({ segment }) => ({ root: "User", value: toldUser(foundUser(store, segment)) }),

		updateUser({ segment, body, behaviour }) {
			checkSession(behaviour);
			const draft = strictly(userDraft, body.value);
			if (behaviour.quirks?.includes("put-user-by-body")) {
				return done(`${store.setUser(draft.username ?? segment, draft).id}`, behaviour);
			}
			const user = foundUser(store, segment);
			const renamed = draft.username ?? user.username;
			if (renamed !== user.username) store.users.delete(user.username);
			const { id } = store.setUser(renamed, { ...draft, id: draft.id ?? user.id });
			return done(`${id}`, behaviour);
		},

		deleteUser({ segment, behaviour }) {
			checkSession(behaviour);
			const user = foundUser(store, segment);
			store.users.delete(user.username);
			return done(user.username, behaviour);
		},

		loginUser({ query, behaviour }) {
			const name = required(query, "username");
			const password = required(query, "password");
			if (store.users.get(name)?.password !== password) {
				throw new Refused(400, "Invalid username/password supplied");
			}
			isLoggedIn = true;
			return session(now(), behaviour);
		},

		logoutUser({ behaviour }) {
			isLoggedIn = false;
			return done("ok", behaviour);
		},
	} satisfies SomeHandlers;
}

/** A user with the fields in the order of the contract. */
function toldUser({ id, username, firstName, lastName, email, password, phone, userStatus }: StoreUser): object {
	return { id, username, firstName, lastName, email, password, phone, userStatus };
}

function session(now: number, behaviour: PetstoreBehaviour): Success {
	const { body = "string", expires = "iso", seconds = 3600 } = behaviour.login ?? {};
	const message = `logged in user session:${now}`;
	const headers = {
		"x-rate-limit": `${RATE_LIMIT}`,
		...(expires !== "none" && { "x-expires-after": expiry(now + seconds * 1000, expires) }),
	};
	if (body === "api-response") return { ...apiResponse(message, behaviour), headers };
	return { root: "string", value: message, headers, plain: body === "text" };
}

function expiry(time: number, form: "iso" | "http" | "java"): string {
	const date = new Date(time);
	switch (form) {
		case "iso":
			return dateTimeText(time, undefined);
		case "http":
			return date.toUTCString();
		case "java":
			// Sat, 21 Nov 2026 10:18:27 GMT -> Sat Nov 21 10:18:27 UTC 2026
			return date.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, "$1 $3 $2 $5 UTC $4");
	}
}

function required(query: Task["query"], name: string): string {
	const [value, ...more] = query.getAll(name);
	if (value === undefined) throw violation(name, "is required");
	if (more.length > 0) throw violation(name, "comes twice");
	return value;
}

function foundUser(store: Store, segment: string): StoreUser {
	const user = store.users.get(strictly(username, segment, "username"));
	if (user === undefined) throw new Refused(404, "User not found");
	return user;
}

/** Status of an outcome, and its body: where the contract shows none, as the behavior sets it. */
export function shaped(outcome: Success, behaviour: PetstoreBehaviour): readonly [status: number, told?: Success] {
	if (outcome.unshown === undefined) return [200, outcome];
	const { status = 200, body = "model" } = behaviour.writeReply ?? {};
	if (status === 204 || body === "empty") return [status];
	return [status, body === "model" || body === "pet" ? outcome : apiResponse(outcome.unshown, behaviour)];
}

import { ORDER_DELETE, ORDER_LOOKUP, PET_STATUSES, type Pet } from "#api/petstore/model.ts";
import { CONTEXT } from "#app/contributions.ts";
import { deleteOrder, placeOrder, readOrder } from "#app/petstore/orders.ts";
import type { ChangedPet } from "#app/petstore/pet-service.ts";
import { NEW_PET, sendable } from "#app/petstore/pet-text.ts";
import { confirmationOf } from "#app/petstore/write.ts";
import { invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import { LIMITS } from "#base/limits.ts";
import { described, type FieldValues, int64, integer, list, oneOf, optional, text } from "#base/schema.ts";
import { joinParts, plainNames, quoted } from "../kit/text.ts";
import { DEFAULT_LIMIT, type Present, TOOL_CONNECTION, TOOL_LIMIT, TOOL_TEXT, type ToolWork, toolsOf } from "./tool.ts";

const STATUS = oneOf(...PET_STATUSES);
const TAG = text({ min: 1, max: LIMITS.tagCharacters });

// A text, since digits beyond 2^53 need one, and services differ in whether a field may have two types.
const PET = {
	pet: described({ ...int64(), json: text({ max: 20 }).json }, "Id of the pet, as text of decimal digits."),
};

type PetInput = FieldValues<typeof PET>;

const DETAILS = {
	name: optional(described(TOOL_TEXT, "The new name.")),
	status: optional(described(STATUS, "Status.")),
	tags: optional(described(list(TAG, { max: LIMITS.toolListItems }), "All tags, by name.")),
	photoUrls: optional(described(list(TOOL_TEXT, { max: LIMITS.toolListItems }), "All addresses of photos.")),
};

const { reads, writes } = toolsOf({ topic: "pets", when: CONTEXT.hasPetstore, service: "petstore" });

/** Tools about pets and orders. */
export const PET_TOOLS = [
	reads("switchboard_find_pets", "Find Pets", {
		icon: "squirrel",
		userDescription: "Find pets of a store by status or tag",
		modelDescription:
			"Finds pets of the person's pet store by status or by tag, one JSON object a line. Give either status or tags.",
		input: {
			status: optional(list(STATUS, { min: 1, max: 3 })),
			tags: optional(list(TAG, { min: 1, max: LIMITS.tags })),
			...TOOL_LIMIT,
			...TOOL_CONNECTION,
		},
		title: ({ status, tags = [] }) =>
			`Find pets by ${status === undefined ? `tag ${tagWords(tags)}` : `status ${status.join(", ")}`}`,
		async run({ status, tags, limit = DEFAULT_LIMIT }, work) {
			if ((status === undefined) === (tags === undefined)) {
				throw invalid("petstore", "status", "or tags must be given, and not both");
			}
			const client = await storeOf(work);
			const { data: pets } = await (status === undefined
				? client.call("findPetsByTags", { tags: tags ?? [] }, work)
				: client.call("findPetsByStatus", { status }, work));
			const shown = pets.slice(0, limit).map((pet) => JSON.stringify(pet));
			return [`${shown.length} of ${pets.length} pets:`, ...shown].join("\n");
		},
	}),
	reads("switchboard_get_pet", "Get Pet", {
		icon: "squirrel",
		userDescription: "Read a pet of a store",
		modelDescription: "Reads one pet of the person's pet store as JSON.",
		input: { ...PET, ...TOOL_CONNECTION },
		title: ({ pet }, present) => `Read ${petWords(pet, present)}`,
		run: async ({ pet }, { id: connection, rooms, signal }) =>
			JSON.stringify(await rooms.pets.get({ connection, id: pet }, { signal })),
	}),
	reads("switchboard_get_inventory", "Get Inventory", {
		icon: "graph",
		userDescription: "Count the pets of a store by status",
		modelDescription: "Returns the number of pets per status in the person's pet store, as JSON.",
		input: TOOL_CONNECTION,
		title: () => "Count pets by status",
		run: async (_, work) => JSON.stringify((await (await storeOf(work)).call("getInventory", {}, work)).data),
	}),
	reads("switchboard_get_order", "Get Order", {
		icon: "inbox",
		userDescription: "Read an order of a pet store",
		modelDescription: "Reads one order of the person's pet store as JSON. Only orders 1 to 10 can be looked up.",
		input: { order: described(integer(ORDER_LOOKUP), "Id of the order."), ...TOOL_CONNECTION },
		title: ({ order }) => `Read order ${order}`,
		run: async ({ order }, work) => JSON.stringify(await readOrder(await storeOf(work), order, work)),
	}),
	writes("switchboard_set_pet_status", "Set Status of Pet", {
		icon: "arrow-swap",
		userDescription: "Set the status of a pet",
		modelDescription: "Changes the status of a pet in the person's pet store and returns the pet as JSON.",
		input: { ...PET, status: described(STATUS, "The new status."), ...TOOL_CONNECTION },
		title: changeOf,
		read: readPet,
		run: async ({ pet, status }, { id: connection, rooms, signal }) =>
			changed(await rooms.pets.edit({ connection, id: pet }, { status }, { signal })),
	}),
	writes("switchboard_add_pet", "Add Pet", {
		icon: "add",
		userDescription: "Add a pet to a store",
		modelDescription: "Adds a pet to the person's pet store, available by default, and returns it as JSON.",
		input: { ...DETAILS, name: described(TOOL_TEXT, "Name of the pet."), ...TOOL_CONNECTION },
		title({ name, status = NEW_PET.status, tags, photoUrls }) {
			const details = [status, tags && `tags ${tagWords(tags)}`, photoUrls && `photos: ${photoUrls.length}`];
			return `Add pet ${joinParts([quoted(name), ...details], ", ")}`;
		},
		async run({ connection: _, tags = [], ...details }, { id, rooms, signal }) {
			const pet = { ...NEW_PET, ...details, tags: tags.map((name) => ({ name })) };
			return changed(await rooms.pets.add(id, pet, { signal }));
		},
	}),
	writes("switchboard_edit_pet", "Edit Pet", {
		icon: "edit",
		userDescription: "Change name, status, tags or photos of a pet",
		modelDescription:
			"Changes name, status, tags or photos of a pet in the person's pet store and returns the pet as JSON. What is not given stays.",
		input: { ...PET, ...DETAILS, ...TOOL_CONNECTION },
		title: changeOf,
		read: readPet,
		async run({ pet, connection: _, tags, ...fields }, { id: connection, rooms, signal }) {
			const address = { connection, id: pet };
			const before = await rooms.pets.get(address, { signal });
			const after = { ...sendable(before), ...fields, ...(tags && { tags: tagsOf(tags, before) }) };
			return changed({ pet: await rooms.pets.save(address, after, before, { signal }) });
		},
	}),
	writes("switchboard_place_order", "Place Order", {
		icon: "add",
		userDescription: "Place an order for a pet",
		modelDescription: "Places an order for a pet in the person's pet store and returns it as JSON.",
		input: {
			...PET,
			quantity: optional(described(integer({ min: 1, max: 1_000_000 }), "How many; 1 by default.")),
			...TOOL_CONNECTION,
		},
		title: ({ pet, quantity = 1 }, present) => `Order ${quantity} of ${petWords(pet, present)}`,
		read: readPet,
		async run({ pet: petId, quantity = 1 }, work) {
			const draft = { petId, quantity, status: "placed", complete: false };
			return JSON.stringify(await placeOrder(await storeOf(work), draft, work));
		},
	}),
	writes("switchboard_delete_order", "Delete Order", {
		icon: "trash",
		userDescription: "Delete an order of a pet store",
		modelDescription: "Deletes an order of the person's pet store for good.",
		input: { order: described(integer(ORDER_DELETE), "Id of the order."), ...TOOL_CONNECTION },
		title({ order }, { order: now, ...present }) {
			const what = now?.petId && `${now.quantity ?? ""} of ${petWords(now.petId, present)}`;
			const facts = joinParts([what, quoted(now?.status ?? "")], ", ");
			return `Delete order ${order}${facts && `: ${facts}`}`;
		},
		async read({ order: id }, work) {
			const order = await readOrder(await storeOf(work), id, work);
			const pet = order.petId && readPet({ pet: order.petId }, work).catch(() => undefined);
			return { order, ...(await pet) };
		},
		run: async ({ order }, work) =>
			JSON.stringify({ order, ...(await deleteOrder(await storeOf(work), String(order), work)) }),
	}),
];

async function storeOf({ id, rooms }: ToolWork) {
	return (await rooms.pets.clients.open(id)).client;
}

async function readPet({ pet: id }: PetInput, { id: connection, rooms, signal }: ToolWork) {
	return { pet: await rooms.pets.get({ connection, id }, { signal }) };
}

/** Pet by its name, and by its id where another listed pet has the name too. */
function petWords(id: Int64, { pet, listed = [] }: Present, noun = "pet"): string {
	const name = quoted(pet?.name ?? "");
	if (name === "") return `${noun} ${id}`;
	// A name such as "Pet 1" must not read as the id of another pet.
	const words = /^pet \d+$/i.test(name) ? `"${name}"` : name;
	const isShared = listed.some((each) => each.id !== id && quoted(each.name ?? "") === name);
	return isShared ? `${words} (pet ${id})` : words;
}

/** Line of a change: "Biscuit: available → sold". Throws `invalid` if nothing is to change, before anybody is asked. */
function changeOf(to: PetInput & Partial<FieldValues<typeof DETAILS>>, present: Present): string {
	const { pet } = present;
	const changes = [
		to.name && `name → ${quoted(to.name)}`,
		to.status && `${quoted(pet?.status ?? "status")} → ${to.status}`,
		to.tags && `tags ${pet ? tagWords(plainNames(pet.tags)) : ""} → ${tagWords(to.tags)}`,
		to.photoUrls && `photos → ${to.photoUrls.length}`,
	];
	const words = joinParts(changes, ", ");
	if (words === "") throw invalid("petstore", "name", "is missing, and so are status, tags and photoUrls");
	return `${petWords(to.pet, present, "Pet")}: ${words}`;
}

/** Tags in quotes, since each may be any text. */
function tagWords(names: readonly string[]): string {
	return names.map((name) => JSON.stringify(name)).join(", ") || "none";
}

/** Tags of those names: one that the pet has stays as it is. */
function tagsOf(names: readonly string[], { tags = [] }: Pet): NonNullable<Pet["tags"]> {
	return names.map((name) => tags.find((tag) => tag.name === name) ?? { name });
}

/** A pet after a change, as JSON; `confirmed` is false where the answer was lost, and `now` what is there. */
function changed({ pet, ...outcome }: ChangedPet): string {
	return JSON.stringify({ pet, ...confirmationOf(outcome, (now) => now) });
}

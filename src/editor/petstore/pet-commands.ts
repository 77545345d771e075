import * as vscode from "vscode";
import type { Inventory, Pet } from "#api/petstore/model.ts";
import { VIEWS } from "#app/contributions.ts";
import { NO_FILTER, type PetFilter, type PetGroupName, sizeOf } from "#app/petstore/pet-groups.ts";
import type { Pets } from "#app/petstore/pets.ts";
import { invalid } from "#base/errors.ts";
import { type Fields, fieldsOf, requiredText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { askText } from "../prompts.ts";
import { storeOf } from "./chosen-store.ts";
import { readPetFilter, writePetFilter } from "./pet-look.ts";
import type { PetRoom } from "./pet-room.ts";

/** State of a store after a refresh. */
export interface StoreResult {
	readonly connection: string;
	/** Number of pets in each group of the view; null where they could not be loaded. */
	readonly counts: Readonly<Record<PetGroupName, number>> | null;
	/** As the store counts them; null where it does not tell. */
	readonly inventory: Inventory | null;
}

/** Asks for the pets of all stores again, or of one; also what failed before. */
export async function refreshPets(
	{ argument, row }: Call,
	{ registry, pets, work }: PetRoom,
): Promise<{ ok: boolean; stores: readonly StoreResult[] }> {
	const fields = row?.fields ?? fieldsOf(argument);
	const named = fields?.["connection"] !== undefined;
	const stores = named ? [registry.require(requiredText(fields, "connection"), "petstore")] : registry.list("petstore");
	const all = Promise.all(stores.map(({ id }) => pets.of(id).refresh()));
	const results = await work.run("Asking for pets...", () => all, { quiet: true });
	return { ok: results.every(Boolean), stores: stores.map(({ id }) => storeResult(id, pets)) };
}

function storeResult(connection: string, pets: Pets): StoreResult {
	const { groups, isFilled, inventory = null } = pets.of(connection);
	const size = (name: PetGroupName) => {
		const group = groups.find((each) => each.name === name);
		return group === undefined ? 0 : sizeOf(group);
	};
	if (!isFilled) return { connection, counts: null, inventory };
	const counts = {
		available: size("available"),
		pending: size("pending"),
		sold: size("sold"),
		other: size("other"),
	};
	return { connection, counts, inventory };
}

/** Shows only the pets with these words, or with one of these tags. */
export async function filterPets(argument: unknown, room: PetRoom): Promise<PetFilter | undefined> {
	const fields = fieldsOf(argument);
	const before = room.pets.filter;
	if (fields !== undefined) {
		const { text = before.text } = fields;
		if (typeof text !== "string") throw invalid("petstore", "text", "must be a text");
		const tags = fields["tags"] === undefined ? before.tags : tagsIn(fields);
		return show(room, { text: text.trim(), tags });
	}
	const answer = await askText({
		title: "Filter Pets",
		placeholder: 'biscuit tag:friendly tag:"needs a garden"',
		prompt: "Words in the name, id or category. tag: shows those with one of the tags.",
		value: writePetFilter(before),
	});
	if (typeof answer !== "string") return undefined;
	await vscode.commands.executeCommand(`${VIEWS.pets}.focus`);
	return show(room, readPetFilter(answer));
}

/** Shows all pets again. */
export function clearPetFilter(room: PetRoom): PetFilter {
	return show(room, NO_FILTER);
}

function show({ pets, tree }: PetRoom, filter: PetFilter): PetFilter {
	pets.show(filter);
	tree.filterChanged();
	return filter;
}

function tagsIn(fields: Fields): readonly string[] {
	const { tags } = fields;
	if (!Array.isArray(tags)) throw invalid("petstore", "tags", "must be a list of texts");
	return tags.map((tag: unknown) => {
		if (typeof tag !== "string" || tag.trim() === "") throw invalid("petstore", "tags", "must be a list of texts");
		return tag.trim();
	});
}

/** Pets that a store has found by tags. */
export interface FoundByTag {
	readonly connection: string;
	readonly tags: readonly string[];
	readonly pets: readonly Pet[];
}

/**
 * Asks a store for the pets with one of some tags, by an operation that the API calls deprecated. A person is shown only
 * those: among them may be some whose status cannot be listed.
 */
export async function findByTag(call: Call, room: PetRoom): Promise<FoundByTag | undefined> {
	const title = "Find Pets by Tag (Deprecated)";
	const fields = fieldsOf(call.argument);
	const given = fields === undefined ? undefined : tagsIn(fields);
	const store = await storeOf(call, room.registry, title);
	if (store === undefined) return undefined;
	const tags = given ?? (await askTags(title));
	if (tags === undefined) return undefined;
	const { client } = await room.clients.open(store.id);
	const { data } = await room.work.run(
		`Asking ${store.label} for pets by tag...`,
		(signal) => client.call("findPetsByTags", { tags }, { signal }),
		{ quiet: given !== undefined },
	);
	const pets = data ?? [];
	if (given === undefined) {
		room.pets.of(store.id).add(pets);
		show(room, { text: "", tags });
		await vscode.commands.executeCommand(`${VIEWS.pets}.focus`);
	}
	return { connection: store.id, tags, pets };
}

async function askTags(title: string): Promise<readonly string[] | undefined> {
	const answer = await askText({
		title,
		placeholder: "friendly, senior",
		prompt: "Tags with commas between them. The API marks this search as deprecated: Filter Pets needs no request.",
		check: (text) => (split(text).length === 0 ? "Enter a tag." : undefined),
	});
	return typeof answer === "string" ? split(answer) : undefined;
}

function split(text: string): string[] {
	return text
		.split(",")
		.map((tag) => tag.trim())
		.filter((tag) => tag !== "");
}

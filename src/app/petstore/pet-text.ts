import { decodePetstoreReply, malformedAt } from "#api/petstore/decode.ts";
import { withOriginOf, writeJson } from "#api/petstore/json-merge.ts";
import { type Pet, type PetToSend, petShape, petToSendShape } from "#api/petstore/model.ts";
import { alsoTaking, checked } from "#api/petstore/shape.ts";
import { invalid } from "#base/errors.ts";
import { parseExactJson } from "#base/exact-json.ts";
import type { Int64 } from "#base/int64.ts";
import { readJson } from "./user-text.ts";

/** A pet of a connection. */
export interface PetAddress {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's own. */
	readonly id: Int64;
}

/** A pet that certainly has an id. */
export type KnownPet = Pet & { readonly id: Int64 };

/** Content of a new pet. */
export const NEW_PET: PetToSend = { name: "", photoUrls: [], tags: [], status: "available" };

/**
 * A pet as text: JSON in the contract's order, ids as numbers with all their digits. The same pet is always the same
 * text, so that two are compared by it.
 */
export function petText(pet: Pet): string {
	return `${writeJson(petShape, pet, { indent: 2 })}\n`;
}

/** The pet of a {@link petText}. */
export function petOfText(text: string): Pet {
	return decodePetstoreReply(petShape, parseExactJson(text));
}

/**
 * Parses the text of a pet by the rules for sending one (contract section 2); it needs a name to be found by. It may
 * have `ownStatus`, a status outside of the contract that the store itself has sent for it. Throws ClientError
 * `invalid` with the field, such as `tags[1].id`; `pet` where the text is no JSON at all.
 */
export function readPetText(text: string, ownStatus?: string): PetToSend {
	const pet = checked(alsoTaking(petToSendShape, ownStatus), readJson(text, "pet"), "body");
	if (pet.name.trim() === "") throw invalid("petstore", "name", "must not be empty");
	return pet;
}

/** Reads the text of an existing pet: it may leave its id out, and must not have another. */
export function readTextOfPet(text: string, { id, status }: KnownPet): PetToSend & { readonly id: Int64 } {
	const { id: written = id, ...pet } = readPetText(text, status);
	if (written !== id) throw invalid("petstore", "id", `must stay ${id}: a pet with another id is a new pet`);
	return { id, ...pet };
}

/**
 * A pet that is to be added without the id of none: to a store, a 0 is no id, and some put such a pet in another's place.
 */
export function withoutZeroId({ id, ...pet }: PetToSend): PetToSend {
	return id === undefined || id === "0" ? pet : { id, ...pet };
}

/** Pet of a store as it can be sent back: fields that the contract requires are empty where they were missing. */
export function sendable(pet: Pet): PetToSend {
	return { ...pet, name: pet.name ?? "", photoUrls: pet.photoUrls ?? [] };
}

/**
 * Pet of an id, from the store's reply. Throws ClientError `malformed` for `id` where the reply is another pet; an id
 * that a store has rounded is no other.
 */
export function petOfId(id: Int64, pet: Pet): KnownPet {
	if (pet.id !== undefined && Number(pet.id) !== Number(id)) throw malformedAt("id", `is ${pet.id}, and not ${id}`);
	return withOriginOf(pet, { ...pet, id });
}

/** True if two pets are equal, with an empty list equal to an absent one, as in XML. */
export function isSamePet(one: Pet, other: Pet): boolean {
	return petText(withoutEmpty(one)) === petText(withoutEmpty(other));
}

/**
 * Pet in a store's reply to a change, where it can be trusted: all fields that the contract requires are there, and it
 * `has` the change. Undefined for a store that replies with a part of a pet, a message, or the pet as it was before:
 * the pet must be read.
 */
export function petInReply(said: Pet | null | undefined, id: Int64, has: (pet: Pet) => boolean): KnownPet | undefined {
	if (said?.id !== id || said.name === undefined || said.photoUrls === undefined) return undefined;
	return has(said) ? withOriginOf(said, { ...said, id }) : undefined;
}

function withoutEmpty({ photoUrls = [], tags = [], ...pet }: Pet): Pet {
	return { ...pet, ...(photoUrls.length > 0 ? { photoUrls } : {}), ...(tags.length > 0 ? { tags } : {}) };
}

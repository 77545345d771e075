import { malformedAt } from "#api/petstore/decode.ts";
import { writeJson } from "#api/petstore/json-merge.ts";
import { type Pet, type PetToSend, petShape, petToSendShape } from "#api/petstore/model.ts";
import { alsoTaking, checked, isSameRecord } from "#api/petstore/shape.ts";
import { invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import { readJson } from "./user-text.ts";

/** Pet of a connection. */
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

/** Fields of a pet beside its id, in the contract's order. */
export const PET_FIELDS = ["category", "name", "photoUrls", "tags", "status"] as const;

/** Text of a pet: JSON in the contract's order, ids as numbers with all their digits. */
export function petText(pet: Pet): string {
	return writeJson(petShape, pet);
}

/** Parses a new pet (contract section 2), which needs a name. Throws ClientError `invalid` with the field, or `pet`. */
export function parsePet(text: string): PetToSend {
	return withoutZeroId(checkedPet(readJson(text, "pet")));
}

/** Parses an existing pet, with or without its id; a save checks the status. Throws `invalid` for another `id` too. */
export function parsePetOf(id: Int64, text: string): PetToSend & KnownPet {
	const value = readJson(text, "pet");
	const status: unknown = Object(value).status;
	const pet = checkedPet(value, typeof status === "string" ? { status } : undefined);
	return { ...pet, id: sameId(id, pet) };
}

/** Id of an existing pet. Throws ClientError `invalid` if its text has another one. */
export function sameId(id: Int64, { id: written = id }: Pet): Int64 {
	if (written === id) return id;
	throw invalid("petstore", "id", `must stay ${id}: a pet with another id is a new pet`);
}

/** Pet that may be sent, or that has a status or no name as `own` has it. Throws ClientError `invalid` for the field. */
export function checkedPet(value: unknown, own: Pet = {}): PetToSend {
	const pet = checked(alsoTaking(petToSendShape, own.status), value, "body");
	if (pet.name.trim() === "" && pet.name !== own.name) throw invalid("petstore", "name", "must not be empty");
	return pet;
}

/** Pet to add, without an id of 0, under which some stores replace another pet. */
export function withoutZeroId({ id, ...pet }: PetToSend): PetToSend {
	return id === undefined || id === "0" ? pet : { id, ...pet };
}

/** Pet as it can be sent back, with required fields that were missing as empty ones. */
export function sendable(pet: Pet): PetToSend {
	return { ...pet, name: pet.name ?? "", photoUrls: pet.photoUrls ?? [] };
}

/** Pet of an id. Throws ClientError `malformed` if the reply is another pet; a rounded id is accepted. */
export function petOfId(id: Int64, pet: Pet): KnownPet {
	if (pet.id !== undefined && Number(pet.id) !== Number(id)) throw malformedAt("id", `is ${pet.id}, and not ${id}`);
	return { ...pet, id };
}

/** True if two pets are equal, with an empty list equal to an absent one, as in XML. */
export function isSamePet(one: Pet, other: Pet): boolean {
	return isSameRecord<Pet>(petShape, one, other);
}

/** Pet in the reply to a change, if complete and `has` the change; undefined for a message, a part, or the old pet. */
export function petInReply(said: Pet | null | undefined, id: Int64, has: (pet: Pet) => boolean): KnownPet | undefined {
	if (said?.id !== id || said.name === undefined || said.photoUrls === undefined) return undefined;
	return has(said) ? { ...said, id } : undefined;
}

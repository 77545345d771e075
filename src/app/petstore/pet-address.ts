import { checked } from "#api/petstore/check.ts";
import { invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";

/** A pet of a connection. */
export interface PetAddress {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's own. */
	readonly id: Int64;
}

/** The address that a command's argument names. Throws ClientError `invalid` with the field. */
export function readAddress(registry: ConnectionRegistry, connection: unknown, pet: unknown): PetAddress {
	if (typeof connection !== "string") throw invalid("petstore", "connection", "is missing");
	if (pet === undefined) throw invalid("petstore", "pet", "is missing");
	return { connection: registry.require(connection, "petstore").id, id: idOf(pet) };
}

/** The same where either may be left out. */
export function readPartOfAddress(
	registry: ConnectionRegistry,
	connection: unknown,
	pet: unknown,
): Partial<PetAddress> {
	if (connection !== undefined && typeof connection !== "string") {
		throw invalid("petstore", "connection", "must be a text");
	}
	return {
		...(connection === undefined ? {} : { connection: registry.require(connection, "petstore").id }),
		...(pet === undefined ? {} : { id: idOf(pet) }),
	};
}

function idOf(pet: unknown): Int64 {
	return checked<Int64>({ kind: "int64" }, pet, "pet");
}

import { pathPart } from "#api/http/address.ts";
import { SHADOWED_USERNAMES } from "#api/petstore/operations.ts";
import { invalid } from "#base/errors.ts";

/**
 * A name by which a user can be looked up, as it is. Throws ClientError `invalid` for `username`: empty, with a slash, or
 * with a part that is `.` or `..`, which would lead to another address.
 */
export function checkedUsername(name: unknown): string {
	if (name === undefined || name === null) throw invalid("petstore", "username", "is missing");
	if (typeof name !== "string") throw invalid("petstore", "username", "must be text");
	pathPart("petstore", ["username", name]);
	return name;
}

/** What to warn of where a store takes a name for a part of its own addresses; undefined for any other name. */
export function shadowWarning(name: string): string | undefined {
	if (!SHADOWED_USERNAMES.has(name)) return undefined;
	return `The API uses "${name}" for an address of its own: many stores cannot look up or change a user of this name.`;
}

/**
 * Refuses to ask for a user where that would be another operation: asking for `logout` logs out. Throws ClientError
 * `invalid` for `username`.
 */
export function refuseShadowedLookUp(name: string): void {
	if (name === "login" || name === "logout") {
		throw invalid("petstore", "username", `${name} cannot be looked up: the API takes it for its ${name}`);
	}
}

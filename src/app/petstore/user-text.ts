import { pathPart } from "#api/http/address.ts";
import { type User, userShape } from "#api/petstore/model.ts";
import { SHADOWED_USERNAMES } from "#api/petstore/operations.ts";
import { checked } from "#api/petstore/shape.ts";
import { invalid } from "#base/errors.ts";
import { jsonDigits, parseExactJson } from "#base/exact-json.ts";

/** Mask in place of every password, whatever its length, and where there is none. */
export const PASSWORD_MASK = "••••••••";

const [MASK_LETTER = ""] = PASSWORD_MASK;

/** A user as a document, with the fields in the contract's order, all digits of the id, and the password masked. */
export function userText(user: User): string {
	const { id, username, firstName, lastName, email, phone, userStatus } = user;
	const shown = {
		...{ id: id === undefined ? undefined : jsonDigits(id), username, firstName, lastName, email },
		...{ password: PASSWORD_MASK, phone, userStatus },
	};
	return `${JSON.stringify(shown, null, 2)}\n`;
}

/**
 * The user that a document describes; without a password where that was left masked. Throws ClientError `invalid` for the
 * field. Nothing of the text is repeated in it.
 */
export function userOfText(text: string): User {
	const { password, ...user } = checkedUser(readJson(text, "user"));
	const isPartOfMask = password !== PASSWORD_MASK && password?.includes(MASK_LETTER);
	if (isPartOfMask) throw invalid("petstore", "password", "has a part of the mask: write all of it in its place");
	return password === undefined || password === PASSWORD_MASK ? user : { ...user, password };
}

/** Text that {@link userText} would give of a document's user; another text where that has a password. */
export function maskedText(text: string): string {
	const user = userOfText(text);
	return userText(user) + (user.password === undefined ? "" : "\n");
}

/** True if a document has a password that is not masked. */
export function hasPassword(text: string): boolean {
	try {
		return userOfText(text).password !== undefined;
	} catch {
		return false;
	}
}

/** Value of a JSON document. Throws ClientError `invalid`, without the parser's words, which may repeat a password. */
export function readJson(text: string, field: string): unknown {
	try {
		return parseExactJson(text);
	} catch {
		throw invalid("petstore", field, "is not JSON yet: correct what the editor underlines");
	}
}

/** A user with the fields of the contract (section 2). Throws ClientError `invalid` for the field. */
export function checkedUser(value: unknown): User {
	return checked(userShape, value, "body");
}

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

/** Warning for a name that a store takes for a part of its own addresses; undefined for any other name. */
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

import { plainSentence } from "#api/http/sentence.ts";
import { writeJson } from "#api/petstore/json-merge.ts";
import { newUserShape, type User, userShape } from "#api/petstore/model.ts";
import { SHADOWED_USERNAMES } from "#api/petstore/operations.ts";
import { checked, isSameRecord, RAW } from "#api/petstore/shape.ts";
import { invalid } from "#base/errors.ts";
import { parseExactJson, repeatedField } from "#base/exact-json.ts";
import { boundedList, csvEntries, guessFormat, type ListEntry, listEntries, readEntry } from "./record-list.ts";

/** Mask for every password, also where there is none. */
export const PASSWORD_MASK = "••••••••";

const [MASK_LETTER = ""] = PASSWORD_MASK;

/** Text of a user: JSON in the contract's order, the id as a number with all its digits, and the password masked. */
export function userText(user: User): string {
	return writeJson(userShape, { ...user, password: PASSWORD_MASK });
}

/** Parses a user, without a password that is masked. Throws ClientError `invalid` without text of the document. */
export function parseUser(text: string): User {
	const { password, ...user } = checked(userShape, readJson(text, "user"), "body");
	const isPartOfMask = password !== PASSWORD_MASK && password?.includes(MASK_LETTER);
	if (isPartOfMask) throw invalid("petstore", "password", "has a part of the mask: write all of it in its place");
	return password === undefined || password === PASSWORD_MASK ? user : { ...user, password };
}

/** User without the password, and without the JSON it was read from, which may hold one. */
export function withoutPassword({ password: _, [RAW]: __, ...user }: User): User {
	return user;
}

/** True if two users are equal. A user with a password is a request to set it, and equals no other. */
export function isSameUser(one: User, other: User): boolean {
	return one.password === undefined && other.password === undefined && isSameRecord<User>(userShape, one, other);
}

/** True if a document has an unmasked password. */
export function hasPassword(text: string): boolean {
	try {
		return parseUser(text).password !== undefined;
	} catch {
		return false;
	}
}

/** Value of a JSON document. Throws `invalid`, also for a repeated field, without words of the parser or a password. */
export function readJson(text: string, field: string, read = parseExactJson): unknown {
	let value: unknown;
	try {
		value = read(text);
	} catch {
		throw invalid("petstore", field, "is not JSON yet: correct what the editor underlines");
	}
	const twice = repeatedField(text);
	if (twice === undefined) return value;
	throw invalid("petstore", plainSentence(twice.name), "is there twice: keep one of them", twice.line);
}

/** Warning for a name that the API uses as a part of an address; undefined for others. */
export function shadowWarning(name: string): string | undefined {
	if (!SHADOWED_USERNAMES.has(name)) return undefined;
	return `The API uses "${name}" for an address of its own: many stores cannot look up or change a user of this name.`;
}

/** Refuses a look-up that would be another operation: `logout` would log out. Throws ClientError `invalid`. */
export function refuseShadowedLookUp(name: string): void {
	if (name === "login" || name === "logout") {
		throw invalid("petstore", "username", `${name} cannot be looked up: the API takes it for its ${name}`);
	}
}

/** A user that may be created. */
export type NamedUser = User & Required<Pick<User, "username">>;

/** Most users created at once; each name is looked up first. */
const MOST_USERS = 500;

/** Users of a CSV document with a row of fields, or of a JSON list. Throws `invalid` with the line and field, and no text. */
export function readUserList(text: string, format = guessFormat(text)): readonly NamedUser[] {
	if (format === "json") return usersOf(listEntries(readJson(text, "users"), "users", (index) => `user ${index + 1}`));
	return usersOf(csvEntries(text, "User", Object.keys(userShape.fields), userOf));
}

/** Users of a command's argument. Throws ClientError `invalid` with the place, such as `users[2].email`. */
export function checkUserList(values: unknown): readonly NamedUser[] {
	return usersOf(listEntries(values, "users", (index) => `users[${index}]`));
}

/** User to create. Throws ClientError `invalid` for the field. */
export function namedUser(value: unknown): NamedUser {
	const { username, ...user } = checked(newUserShape, value, "body");
	if (user.password === PASSWORD_MASK) throw invalid("petstore", "password", "is masked: write the password itself");
	if (username === undefined) throw invalid("petstore", "username", "is missing");
	return { ...user, username };
}

function usersOf(entries: readonly ListEntry[]): readonly NamedUser[] {
	const names = new Map<string, string>();
	return boundedList(entries, "users", MOST_USERS).map((entry) =>
		readEntry(entry, (value) => {
			const user = namedUser(value);
			const first = names.get(user.username);
			if (first !== undefined) throw invalid("petstore", "username", `is that of ${first} too`);
			names.set(user.username, entry.at);
			return user;
		}),
	);
}

/** Fields of the cells that are not empty. Spaces around a cell are kept in a password only. */
function userOf(cells: ReadonlyMap<string, string>): Record<string, unknown> {
	return Object.fromEntries(
		[...cells].flatMap(([name, given]) => {
			const cell = name === "password" ? given : given.trim();
			if (cell === "") return [];
			return [[name, name === "userStatus" && /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell]];
		}),
	);
}

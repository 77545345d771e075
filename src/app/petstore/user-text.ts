import { pathPart } from "#api/http/address.ts";
import { isRecord } from "#api/http/json.ts";
import { plainSentence } from "#api/http/sentence.ts";
import { writeJson } from "#api/petstore/json-merge.ts";
import { type User, userShape } from "#api/petstore/model.ts";
import { SHADOWED_USERNAMES } from "#api/petstore/operations.ts";
import { checked, isSameRecord, RAW } from "#api/petstore/shape.ts";
import { ClientError, invalid, withFacts } from "#base/errors.ts";
import { parseExactJson, repeatedField } from "#base/exact-json.ts";

/** Mask for every password, also where there is none. */
export const PASSWORD_MASK = "••••••••";

const [MASK_LETTER = ""] = PASSWORD_MASK;

/** Text of a user: JSON in the contract's order, the id as a number with all its digits, and the password masked. */
export function userText(user: User): string {
	return `${writeJson(userShape, { ...user, password: PASSWORD_MASK }, { indent: 2 })}\n`;
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
export function readJson(text: string, field: string): unknown {
	let value: unknown;
	try {
		value = parseExactJson(text);
	} catch {
		throw invalid("petstore", field, "is not JSON yet: correct what the editor underlines");
	}
	const twice = repeatedField(text);
	if (twice === undefined) return value;
	throw invalid("petstore", plainSentence(twice.name), "is there twice: keep one of them", twice.line);
}

/** Username that can be part of a path. Throws ClientError `invalid` for an empty one, a slash, `.` or `..`. */
export function checkedUsername(name: unknown): string {
	if (name === undefined || name === null) throw invalid("petstore", "username", "is missing");
	if (typeof name !== "string") throw invalid("petstore", "username", "must be text");
	pathPart("petstore", ["username", name]);
	return name;
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

type ListFormat = "csv" | "json";

/** A user that may be created. */
export type NamedUser = User & Required<Pick<User, "username">>;

/** Most users created at once; each name is looked up first. */
const MOST_USERS = 500;

/** Part of a document that should be a user, and its place in words, such as `line 3`. */
interface Draft {
	readonly value: unknown;
	readonly at: string;
	readonly line?: number;
}

/** Users of a CSV document with a row of fields, or of a JSON list. Throws `invalid` with the line and field, and no text. */
export function readUserList(text: string, format: ListFormat): readonly NamedUser[] {
	if (format === "csv") return usersOf(csvDrafts(text));
	return usersOf(listDrafts(readJson(text, "users"), (index) => `user ${index + 1}`));
}

/** Users of a command's argument. Throws ClientError `invalid` with the place, such as `users[2].email`. */
export function checkUserList(values: unknown): readonly NamedUser[] {
	const drafts = listDrafts(values, (index) => `users[${index}]`);
	return usersOf(drafts, ".");
}

/** User to create. Throws ClientError `invalid` for the field. */
export function namedUser(value: unknown): NamedUser {
	const user = checked(userShape, value, "body");
	if (user.password === PASSWORD_MASK) throw invalid("petstore", "password", "is masked: write the password itself");
	return { ...user, username: checkedUsername(user.username) };
}

/** Users of drafts; `joint` separates place and field. */
function usersOf(drafts: readonly Draft[], joint = ", "): readonly NamedUser[] {
	if (drafts.length === 0) throw invalid("petstore", "users", "must not be empty");
	const beyond = drafts[MOST_USERS];
	if (beyond !== undefined) {
		throw invalid("petstore", beyond.line === undefined ? beyond.at : "", `is beyond ${MOST_USERS} users`, beyond.line);
	}
	const names = new Map<string, string>();
	return drafts.map(({ value, at, line }) => {
		if (!isRecord(value)) throw invalid("petstore", at, "must be an object");
		try {
			const user = namedUser(value);
			const first = names.get(user.username);
			if (first !== undefined) throw invalid("petstore", "username", `is that of ${first} too`);
			names.set(user.username, at);
			return user;
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			const field = line === undefined ? `${at}${joint}${error.field}` : error.field;
			throw withFacts(error, { field, line }, `${at}${joint}${error.message}`);
		}
	});
}

function listDrafts(values: unknown, at: (index: number) => string): readonly Draft[] {
	if (!Array.isArray(values)) throw invalid("petstore", "users", "must be a list: [{...}, {...}]");
	return values.map((value: unknown, index) => ({ value, at: at(index) }));
}

/** Fields by their names in lower case: `First Name` and `first_name` are `firstName`. */
const FIELDS: ReadonlyMap<string, string> = new Map(
	Object.keys(userShape.fields).map((name) => [name.toLowerCase(), name]),
);

function fieldOf(heading: string): string | undefined {
	return FIELDS.get(heading.replaceAll(/[\s_-]/g, "").toLowerCase());
}

/** Format of a list, as its beginning suggests. */
export function guessFormat(text: string): ListFormat {
	return /^\s*[[{]/.test(text) ? "json" : "csv";
}

function csvDrafts(text: string): readonly Draft[] {
	const [header, ...rest] = readCsv(text);
	if (header === undefined) throw invalid("petstore", "", "must name the fields, such as username,email", 1);
	const columns = header.cells.map((cell, index) => {
		const name = fieldOf(cell);
		if (name !== undefined) return name;
		// A first row without a known name may be a user, password and all.
		const heading = header.cells.some(fieldOf) ? ` ("${Array.from(cell).slice(0, 40).join("")}")` : "";
		throw invalid("petstore", `column ${index + 1}${heading}`, "is not named as a field of a User", header.line);
	});
	const twice = columns.find((name, index) => columns.indexOf(name) !== index);
	if (twice !== undefined) throw invalid("petstore", twice, "is there twice", header.line);
	if (!columns.includes("username")) throw invalid("petstore", "username", "is missing", header.line);
	return rest.map(({ line, cells }) => {
		if (cells.length > columns.length) throw invalid("petstore", "", "has more cells than the first row", line);
		return { value: userOfCells(columns, cells), at: `line ${line}`, line };
	});
}

/** Fields of the cells that are not empty. Spaces around a cell are kept in a password only. */
function userOfCells(columns: readonly string[], cells: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(
		columns.flatMap((name, index) => {
			const given = cells[index] ?? "";
			const cell = name === "password" ? given : given.trim();
			if (cell === "") return [];
			return [[name, name === "userStatus" && /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell]];
		}),
	);
}

/** Reads CSV (RFC 4180) separated by commas, semicolons or tabs, without blank rows. Throws `invalid` with the line. */
export function readCsv(document: string) {
	const text = document.replace(/^\uFEFF/, "");
	const separator = separatorOf(text);
	// A cell, quoted or not, and what ends it.
	const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, "y");
	/** Rows, each with the line in which it begins. */
	const rows: { readonly line: number; readonly cells: readonly string[] }[] = [];
	let line = 1;
	let begun = 1;
	let cells: string[] = [];
	for (let at = 0; at < text.length || cells.length > 0; ) {
		cell.lastIndex = at;
		const found = cell.exec(text);
		if (found === null) throw invalid("petstore", "", "has a quotation mark out of place", line);
		const [all, quoted, plain = "", end = ""] = found;
		cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		line += all.match(/\r\n|\n|\r/g)?.length ?? 0;
		at = cell.lastIndex;
		if (end === separator) continue;
		if (cells.some((each) => each.trim() !== "")) rows.push({ line: begun, cells });
		cells = [];
		begun = line;
	}
	return rows;
}

function separatorOf(text: string): string {
	const first = /^.*$/m.exec(text.trimStart())?.[0] ?? "";
	const count = (separator: string) => first.split(separator).length;
	return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
}

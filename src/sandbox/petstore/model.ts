import { flag, type Infer, list, oneOf, type Read, shape, text, Violation } from "#sandbox/strict.ts";
import { ILLEGAL_IN_XML } from "./xml.ts";

/** Statuses that a pet can be given and asked for by (contract section 3). */
export const PET_STATUSES = ["available", "pending", "sold"] as const;

/** The largest int64. */
export const MAX_INT64 = 2n ** 63n - 1n;

function wholeNumber(bits: 32 | 64): Read<bigint> {
	const max = 2n ** BigInt(bits - 1) - 1n;
	return (value, path) => {
		if (typeof value !== "bigint") throw new Violation(path, "must be an integer");
		if (value > max || value < -max - 1n) throw new Violation(path, `must be an int${bits}`);
		return value;
	};
}

/** Reads an int64 out of JSON or XML that was read exactly. */
export const int64 = wholeNumber(64);

/** Reads an int64 in a path. Throws a `Violation`. */
export function idOf(segment: string, name: string): bigint {
	if (!/^-?\d{1,40}$/.test(segment)) throw new Violation(name, "must be an integer");
	return int64(BigInt(segment), name);
}

const wide32 = wholeNumber(32);

const int32: Read<number> = (value, path) => Number(wide32(value, path));

/** Reads a string that can be told in XML as well. */
export const words: Read<string> = (value, path) => {
	const given = text()(value, path);
	if (ILLEGAL_IN_XML.test(given)) throw new Violation(path, "has a character that XML cannot carry");
	return given;
};

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Reads a date-time (RFC 3339) as epoch milliseconds. */
export const dateTime: Read<number> = (value, path) => {
	const given = text()(value, path);
	const day = DATE_TIME.exec(given)?.[1];
	const time = Date.parse(given);
	// Date.parse takes the 31st of every month for a day.
	const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
	if (!isDay || Number.isNaN(time)) throw new Violation(path, "must be a date-time such as 2026-11-21T10:18:27.678Z");
	return time;
};

/** Reads a name that a path can hold: 1 to 100 characters without controls, and not `.` or `..`, which vanish from a path. */
export const username: Read<string> = (value, path) => {
	const given = words(value, path);
	if (!/^[^\p{Cc}/\\]{1,100}$/u.test(given) || /^\.{1,2}$/.test(given)) {
		throw new Violation(path, "must be 1 to 100 characters, without / and control characters, and not . or ..");
	}
	return given;
};

const readNamed = shape({}, { id: int64, name: words });

/** A category or a tag (contract section 2). */
export type Named = Infer<typeof readNamed>;

const petFields = (statuses: readonly string[]) =>
	shape(
		{ name: words, photoUrls: list(words) },
		{ id: int64, category: readNamed, tags: list(readNamed), status: oneOf(...statuses) },
	);

/** A pet without an id yet (contract section 2). */
export type PetDraft = Infer<ReturnType<typeof petFields>>;

/** A pet in the store. */
export type Pet = PetDraft & { readonly id: bigint };

/** Reads a pet of one of the statuses strictly (contract section 2); throws a `Violation` that names the field. */
export function readPet(value: unknown, statuses: readonly string[] = PET_STATUSES): PetDraft {
	return petFields(statuses)(value, "");
}

/** Reads an order strictly (contract section 2); throws a `Violation` that names the field. */
export const readOrder = shape(
	{},
	{
		id: int64,
		petId: int64,
		quantity: int32,
		/** Epoch milliseconds. */
		shipDate: dateTime,
		status: oneOf("placed", "approved", "delivered"),
		complete: flag,
	},
);

/** An order without an id yet (contract section 2). */
export type OrderDraft = Infer<typeof readOrder>;

/** An order in the store. */
export type Order = OrderDraft & { readonly id: bigint };

/** Reads a user strictly (contract section 2); throws a `Violation` that names the field. */
export const readUser = shape(
	{},
	{
		id: int64,
		username,
		firstName: words,
		lastName: words,
		email: words,
		password: words,
		phone: words,
		userStatus: int32,
	},
);

/** A user as it comes, where everything is optional (contract section 2). */
export type UserDraft = Infer<typeof readUser>;

/** A user of the store. */
export type User = UserDraft & { readonly id: bigint; readonly username: string };

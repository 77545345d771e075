import { convert, flag, type Infer, list, oneOf, refine, type Schema, text } from "#base/schema.ts";
import { shape, strictly, violation } from "#sandbox/strict.ts";

/** Statuses of pets (contract section 3). */
export const SALE_STATUSES = ["available", "pending", "sold"] as const;

function wholeNumber(bits: 32 | 64): Schema<bigint> {
	const max = 2n ** BigInt(bits - 1) - 1n;
	return {
		json: { type: "integer" },
		read(value, { field }) {
			if (typeof value !== "bigint") throw violation(field, "must be an integer");
			if (value > max || value < -max - 1n) throw violation(field, `must be an int${bits}`);
			return value;
		},
	};
}

/** Int64 of exactly parsed JSON or XML. */
export const exactInt64 = wholeNumber(64);

/** Parses an int64 in a path. Throws ClientError `invalid`. */
export function idInPath(segment: string, name: string): bigint {
	if (!/^-?\d{1,40}$/.test(segment)) throw violation(name, "must be an integer");
	return strictly(exactInt64, BigInt(segment), name);
}

const int32 = convert(wholeNumber(32), Number);

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** RFC 3339 date-time, as epoch milliseconds. */
const dateTime = convert(text(), (value, { field }) => {
	const time = DATE_TIME.test(value) ? Date.parse(value) : Number.NaN;
	if (Number.isNaN(time)) throw violation(field, "must be a date-time such as 2026-11-21T10:18:27.678Z");
	return time;
});

/** Name that fits into a path segment. */
export const username = refine(text(), (value) =>
	/^[^\p{Cc}/\\]{1,100}$/u.test(value) && !/^\.{1,2}$/.test(value)
		? undefined
		: "must be 1 to 100 characters, without / and control characters, and not . or ..",
);

const named = shape({}, { id: exactInt64, name: text() });

/** Category or tag (contract section 2). */
export type Named = Infer<typeof named>;

/** Pet with one of the statuses, and perhaps without an id (contract section 2). */
export const petWith = (statuses: readonly string[]) =>
	shape(
		{ name: text(), photoUrls: list(text()) },
		{ id: exactInt64, category: named, tags: list(named), status: oneOf(...statuses) },
	);

/** Pet that may have no id yet. */
export type PetDraft = Infer<ReturnType<typeof petWith>>;

/** A pet in the store. */
export type StorePet = PetDraft & { readonly id: bigint };

/** Order that may have no id yet (contract section 2). */
export const orderDraft = shape(
	{},
	{
		id: exactInt64,
		petId: exactInt64,
		quantity: int32,
		/** Epoch milliseconds. */
		shipDate: dateTime,
		status: oneOf("placed", "approved", "delivered"),
		complete: flag(),
	},
);

/** An order in the store. */
export type StoreOrder = Infer<typeof orderDraft> & { readonly id: bigint };

/** User, all fields optional (contract section 2). */
export const userDraft = shape(
	{},
	{
		id: exactInt64,
		username,
		firstName: text(),
		lastName: text(),
		email: text(),
		password: text(),
		phone: text(),
		userStatus: int32,
	},
);

/** User, all fields optional. */
export type UserDraft = Infer<typeof userDraft>;

/** A user of the store. */
export type StoreUser = UserDraft & { readonly id: bigint; readonly username: string };

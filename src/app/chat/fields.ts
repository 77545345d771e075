import { type ClientError, invalid } from "#base/errors.ts";

/** Reads a value that stands at that place. Throws `invalid` naming the place, such as `messages[3].parent`. */
export type Read<T> = (value: unknown, place: string) => T;

/** Longest time or duration, so that the sum of two of them is still on the calendar. Milliseconds. */
export const MOST_MS = 1e15;

/** Reads a text. */
export const text = plain("must be a text", (value) => typeof value === "string");

/** Reads a flag. */
export const flag = plain("must be true or false", (value) => typeof value === "boolean");

/** Reads any number. */
export const number = plain("must be a number", (value) => typeof value === "number");

/** Reads a number that counts things or milliseconds. */
export const count = plain(
	`must be a number from 0 to ${MOST_MS}`,
	(value): value is number => typeof value === "number" && value >= 0 && value <= MOST_MS,
);

/** Reads an object with any fields. */
export const object = plain(
	"must be an object",
	(value): value is Readonly<Record<string, unknown>> =>
		typeof value === "object" && value !== null && !Array.isArray(value),
);

/** Reads what passes a check; `rule` is the rest of the sentence that refuses it. */
export function plain<T>(rule: string, is: (value: unknown) => value is T): Read<T> {
	return (value, place) => {
		if (value === undefined || value === null) throw refuse(place, "is missing");
		if (!is(value)) throw refuse(place, rule);
		return value;
	};
}

/** Reads one of some names. */
export function oneOf<T extends string>(...names: readonly T[]): Read<T> {
	const known: readonly unknown[] = names;
	return plain(`must be one of ${names.join(", ")}`, (value): value is T => known.includes(value));
}

/** Reads a name of a closed set, given as keys so that the compiler sees a missing one. */
export function keyOf<T extends string>(names: Readonly<Record<T, true>>): Read<T> {
	return oneOf(...(Object.keys(names) as T[]));
}

/** Reads what may be missing or null, and gives something else then. */
export function or<T, D>(read: Read<T>, otherwise: D): Read<T | D> {
	return (value, place) => (value === undefined || value === null ? otherwise : read(value, place));
}

/** Reads what may be missing, or null where it is taken away. */
export function orNull<T>(read: Read<T>): Read<T | null | undefined> {
	return (value, place) => (value === null ? null : or(read, undefined)(value, place));
}

/** Reads a list. */
export function list<T>(read: Read<T>): Read<readonly T[]> {
	const array = plain("must be a list", (value): value is readonly unknown[] => Array.isArray(value));
	return (value, place) => array(value, place).map((item, n) => read(item, `${place}[${n}]`));
}

/** Reads an object with any names. */
export function each<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
	return (value, place) =>
		Object.fromEntries(
			Object.entries(object(value, place)).map(([name, part]) => [name, read(part, `${place}.${name}`)]),
		);
}

/** Reads an object with these fields, where there is something; others are left out. */
export function fields<T>(shape: { readonly [K in keyof T]: Read<T[K]> }): Read<T> {
	return (value, place) => {
		const given = object(value, place === "" ? "text" : place);
		const result: Partial<T> = {};
		for (const name in shape) {
			const read = shape[name](given[name], place === "" ? name : `${place}.${name}`);
			if (read !== undefined) result[name] = read;
		}
		// Every field of the shape was read.
		return result as T;
	};
}

/** Leaves out the fields that are null. */
export function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], null> } {
	const entries = Object.entries(value).filter(([, part]) => part !== null);
	// What was null is absent, which the types of a conversation allow for these.
	return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> };
}

/** Error for a value at a place. */
export function refuse(place: string, rule: string): ClientError {
	return invalid("messages", place, rule);
}

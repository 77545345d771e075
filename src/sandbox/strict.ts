/**
 * Readers that refuse: each takes a value from the outside and gives it back typed, or throws a {@link Violation} that
 * names the place and the rule. The sandbox has its own, apart from the clients' decoders, so that a mistake on one
 * side cannot hide behind the same mistake on the other.
 */
export type Read<T> = (value: unknown, path: string) => T;

/** Type of the values that a reader gives. */
export type Infer<R> = R extends Read<infer T> ? T : never;

type Readers<T> = { readonly [K in keyof T]-?: Read<T[K]> };

/** A value that breaks a rule. The message is one sentence that names the place, such as `messages[0].role must be ...`. */
export class Violation extends Error {
	override readonly name = "Violation";

	constructor(path: string, rule: string) {
		super(`${path === "" ? "The body" : path} ${rule}`);
	}
}

/** Reads a string of `min` to `max` UTF-16 units; by default any string. */
export function text({ min = 0, max = Number.POSITIVE_INFINITY } = {}): Read<string> {
	return (value, path) => {
		if (typeof value !== "string") throw new Violation(path, "must be a string");
		if (value.length < min) throw new Violation(path, min === 1 ? "must not be empty" : `must have ${min} characters`);
		if (value.length > max) throw new Violation(path, `must have at most ${max} characters`);
		return value;
	};
}

/** Reads a finite number between `min` and `max`, both included. */
export function number({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = {}): Read<number> {
	return (value, path) => {
		if (typeof value !== "number" || !Number.isFinite(value)) throw new Violation(path, "must be a number");
		if (value < min) throw new Violation(path, `must be at least ${min}`);
		if (value > max) throw new Violation(path, `must be at most ${max}`);
		return value;
	};
}

/** Reads a safe integer between `min` and `max`, both included. */
export function integer({ min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = {}): Read<number> {
	const bounded = number({ min, max });
	return (value, path) => {
		if (!Number.isInteger(value)) throw new Violation(path, "must be an integer");
		return bounded(value, path);
	};
}

/** Reads true or false, and nothing that merely looks like it. */
export const flag: Read<boolean> = (value, path) => {
	if (typeof value !== "boolean") throw new Violation(path, "must be true or false");
	return value;
};

/** Reads one of a closed set of strings, or of numbers. */
export function oneOf<const T extends string | number>(...allowed: readonly T[]): Read<T> {
	return (value, path) => {
		const found = allowed.find((one) => one === value);
		if (found === undefined) throw new Violation(path, `must be one of ${allowed.join(", ")}`);
		return found;
	};
}

/** Reads an array of `min` to `max` items. */
export function list<T>(item: Read<T>, { min = 0, max = Number.POSITIVE_INFINITY } = {}): Read<readonly T[]> {
	return (value, path) => {
		if (!Array.isArray(value)) throw new Violation(path, "must be an array");
		if (value.length < min) throw new Violation(path, min === 1 ? "must not be empty" : `must have ${min} items`);
		if (value.length > max) throw new Violation(path, `must have at most ${max} items`);
		return value.map((one, index) => item(one, `${path}[${index}]`));
	};
}

/** Reads any object that is not an array, as it is. */
export const record: Read<Readonly<Record<string, unknown>>> = (value, path) => {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new Violation(path, "must be an object");
	}
	return Object.fromEntries(Object.entries(value));
};

/** Reads an object that has every required field, may have the optional ones, and has no other. */
export function shape<R extends object, O extends object>(
	required: Readers<R>,
	optional: Readers<O>,
): Read<R & Partial<O>> {
	const readers = new Map<string, Read<unknown>>(Object.entries({ ...required, ...optional }));
	return (value, path) => {
		const fields = record(value, path);
		const unknown = Object.keys(fields).filter((name) => !readers.has(name));
		if (unknown.length > 0) {
			const names = unknown.map((name) => join(path, name)).join(", ");
			throw new Violation(names, unknown.length === 1 ? "is not a known field" : "are not known fields");
		}
		for (const name of Object.keys(required)) {
			if (!Object.hasOwn(fields, name)) throw new Violation(join(path, name), "is required");
		}
		const read = [...readers]
			.filter(([name]) => Object.hasOwn(fields, name))
			.map(([name, reader]) => [name, reader(fields[name], join(path, name))]);
		// Every required field is present and every field present went through its own reader.
		return Object.fromEntries(read) as R & Partial<O>;
	};
}

function join(path: string, name: string): string {
	return path === "" ? name : `${path}.${name}`;
}

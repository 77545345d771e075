import { type ClientError, invalid } from "#base/errors.ts";
import {
	type Infer,
	type ObjectSchema,
	type OptionalField,
	object,
	optional,
	refine,
	type Schema,
	type SchemaFields,
	text,
} from "#base/schema.ts";

/** Text of at least one character, even a blank one. */
export const nonEmptyText = refine(text(), (value) => (value === "" ? "must not be empty" : undefined));

type Optional<F> = { readonly [K in keyof F]: OptionalField<Infer<F[K]>> };

/** Schema of an object with required and optional fields and no others; `null` is not an absent field. */
export function shape<R extends SchemaFields, O extends SchemaFields>(
	required: R,
	more: O,
): ObjectSchema<R & Optional<O>> {
	const others = Object.entries(more).map(([name, schema]) => [name, { ...optional(schema), takesNull: true }]);
	// Each of the others is what `Optional` makes of it.
	return object({ ...required, ...(Object.fromEntries(others) as Optional<O>) }, { strict: true });
}

/** Reads a value from outside, by default a request body. Throws ClientError `invalid` with place and rule. */
export function strictly<T>(schema: Schema<T>, value: unknown, place = ""): T {
	const whole = place === "" ? { field: "The body", isRoot: true } : { field: place };
	return schema.read(value, { service: "messages", ...whole });
}

/** Error of a value that breaks a rule; the service chooses the status. */
export function violation(place: string, rule: string): ClientError {
	return invalid("messages", place, rule);
}

/** Parses JSON. Throws ClientError `invalid` that names the place. */
export function strictJson(json: string, place: string, parse: (json: string) => unknown = JSON.parse): unknown {
	try {
		return parse(json);
	} catch {
		throw violation(place, "must be JSON");
	}
}

import { ClientError, invalid, type Service, withFacts } from "./errors.ts";
import { isDeeper } from "./exact-json.ts";
import { type Int64, int64Of } from "./int64.ts";

/** Place of a validated value. */
export interface SchemaPlace {
	readonly service: Service;
	/** Path of the value, such as `users[0].email`. */
	readonly field: string;
	/** True if paths of parts omit the name of the whole. */
	readonly isRoot?: boolean;
}

/** Validator of unknown values. */
export interface Schema<T> {
	/** JSON Schema, for the manifest and tools. */
	readonly json: Readonly<Record<string, unknown>>;
	/** Returns a valid value, or throws `invalid` with the path of the wrong field. */
	read(value: unknown, place: SchemaPlace): T;
}

/** Field that may be absent. */
export interface OptionalField<T> extends Schema<T> {
	readonly isOptional: true;
}

/** Schema of an object, with its fields. */
export interface ObjectSchema<F extends SchemaFields> extends Schema<FieldValues<F>> {
	readonly fields: F;
}

/** Schemas of the fields of an object. */
export type SchemaFields = Readonly<Record<string, Schema<unknown>>>;

/** Type of valid values. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

type RequiredNames<F> = { [K in keyof F]: F[K] extends OptionalField<unknown> ? never : K }[keyof F];

/** Type of an object with these fields. */
export type FieldValues<F> = { readonly [K in RequiredNames<F>]: Infer<F[K]> } & {
	readonly [K in Exclude<keyof F, RequiredNames<F>>]?: Infer<F[K]>;
};

/** Validates a value that errors call `name`. Throws `invalid` with the path of the wrong field. */
export function parse<T>(schema: Schema<T>, value: unknown, service: Service, name = "argument"): T {
	return schema.read(value, { service, field: name, isRoot: true });
}

/** Valid value, else undefined. */
export function parsed<T>(schema: Schema<T>, value: unknown): T | undefined {
	try {
		return parse(schema, value, "messages");
	} catch (error) {
		if (error instanceof ClientError) return undefined;
		throw error;
	}
}

/** Valid value of a JSON text, else undefined. */
export function parsedJson<T>(schema: Schema<T>, json: string): T | undefined {
	try {
		return parsed(schema, JSON.parse(json));
	} catch {
		return undefined;
	}
}

/** Place of a field. */
export function partOf({ service, field, isRoot }: SchemaPlace, name: string): SchemaPlace {
	return { service, field: isRoot ? name : `${field}.${name}` };
}

/** Schema with an additional rule: `mistake` completes "<field> ...". */
export function refine<T>(schema: Schema<T>, mistake: (value: T) => string | undefined): Schema<T> {
	return convert(schema, (value, place) => {
		const rule = mistake(value);
		if (rule !== undefined) refuse(place, rule);
		return value;
	});
}

/** Schema whose values are converted; `of` throws `invalid` for what it rejects. */
export function convert<T, U>(schema: Schema<T>, of: (value: T, place: SchemaPlace) => U): Schema<U> {
	return { json: schema.json, read: (value, place) => of(schema.read(value, place), place) };
}

/** Schema with a description, for the manifest or a model. */
export function described<S extends Schema<unknown>>(schema: S, description: string): S {
	return { ...schema, json: { ...schema.json, description } };
}

/** Field that may be absent; `null` counts as absent unless the schema takes it. */
export function optional<T>(schema: Schema<T>): OptionalField<T> {
	return { ...schema, isOptional: true };
}

/** Field with a default if absent or `null`. */
export function withDefault<T, const D>(schema: Schema<T>, otherwise: D): Schema<T | D> & { readonly otherwise: D } {
	return { ...schema, otherwise };
}

/** Fields that may all be absent. */
export function allOptional<F extends SchemaFields>(
	fields: F,
): { readonly [K in keyof F]: OptionalField<Infer<F[K]>> } {
	const entries = Object.entries(fields).map(([name, schema]) => [name, optional(schema)]);
	return Object.fromEntries(entries);
}

/** Schema that takes `null`. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> & { readonly takesNull: true } {
	return {
		takesNull: true,
		json: { anyOf: [schema.json, { type: "null" }] },
		read: (value, place) => (value === null ? null : schema.read(value, place)),
	};
}

/** Bounds of the length of a text or list, or of a number. */
export interface Limits {
	readonly min?: number;
	readonly max?: number;
}

/** Text, unchanged; with a `min`, blank text is refused. */
export function text({ min = 0, max }: Limits = {}): Schema<string> {
	return {
		json: { type: "string", ...(min > 0 && { minLength: min }), ...(max !== undefined && { maxLength: max }) },
		read(value, place) {
			if (typeof value !== "string" || value.trim().length < min) {
				return refuse(place, min > 0 ? "must be a non-empty text" : "must be text");
			}
			return max === undefined || value.length <= max ? value : refuse(place, `must have at most ${max} characters`);
		},
	};
}

/** Non-blank text, trimmed. */
export function trimmed(limits: Limits = {}): Schema<string> {
	return convert(text({ min: 1, ...limits }), (value) => value.trim());
}

/** Finite number. */
export function number(limits: Limits = {}): Schema<number> {
	return numeric("number", "must be a number", Number.isFinite, limits);
}

/** Safe integer. */
export function integer(limits: Limits = {}): Schema<number> {
	return numeric("integer", "must be a whole number", Number.isSafeInteger, limits);
}

function numeric(
	type: string,
	rule: string,
	is: (value: unknown) => boolean,
	{ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Limits,
): Schema<number> {
	const range = max === Number.POSITIVE_INFINITY ? `from ${min} up` : `from ${min} to ${max}`;
	return {
		json: { type, ...(Number.isFinite(min) && { minimum: min }), ...(Number.isFinite(max) && { maximum: max }) },
		read(value, place) {
			if (typeof value !== "number" || !is(value)) return refuse(place, rule);
			return value >= min && value <= max ? value : refuse(place, `must be ${range}`);
		},
	};
}

/** Int64 as digits or a safe integer. */
export function int64(): Schema<Int64> {
	return {
		json: { type: ["string", "integer"] },
		read: (value, place) =>
			int64Of(value) ?? refuse(place, "must be a whole number of 64 bits, written as text beyond 2^53"),
	};
}

/** Bytes as base64 of either alphabet, padded or not. */
export function base64(): Schema<Uint8Array> {
	return convert(trimmed(), (value, place) => {
		const bare = value.replaceAll(/\s/g, "").replace(/={1,2}$/, "");
		if (!/^[\w+/-]+$/.test(bare) || bare.length % 4 === 1) return refuse(place, "is no base64");
		return Uint8Array.from(atob(bare.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
	});
}

/** Boolean. */
export function flag(): Schema<boolean> {
	return {
		json: { type: "boolean" },
		read: (value, place) => (typeof value === "boolean" ? value : refuse(place, "must be true or false")),
	};
}

/** One of some values. */
export function oneOf<const T extends string | number | boolean>(...values: readonly T[]): Schema<T> {
	return {
		json: values.length === 1 ? { const: values[0] } : { type: typeof values[0], enum: values },
		read: (value, place) =>
			values.find((each) => each === value) ??
			refuse(place, `must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`),
	};
}

/** List of values of one type. */
export function list<T>(
	item: Schema<T>,
	{ min = 0, max = Number.MAX_SAFE_INTEGER }: Limits = {},
): Schema<readonly T[]> {
	const bounds = { ...(min > 0 && { minItems: min }), ...(max < Number.MAX_SAFE_INTEGER && { maxItems: max }) };
	return {
		json: { type: "array", items: item.json, ...bounds },
		read(value, place) {
			if (!Array.isArray(value)) return refuse(place, "must be a list");
			if (value.length < min) return refuse(place, "must not be empty");
			if (value.length > max) return refuse(place, `must have at most ${max} items`);
			const { service, field, isRoot } = place;
			return value.map((each, at) => item.read(each, { service, field: `${isRoot ? "" : field}[${at}]` }));
		},
	};
}

/** Object with values of one type by name. */
export function map<T>(value: Schema<T>): Schema<Readonly<Record<string, T>>> {
	return {
		json: { type: "object", additionalProperties: value.json },
		read: (given, place) =>
			Object.fromEntries(
				Object.entries(objectAt(given, place)).map(([name, each]) => [name, value.read(each, partOf(place, name))]),
			),
	};
}

/** Object with named fields. Others are dropped, or refused with `strict`. */
export function object<F extends SchemaFields>(fields: F, { strict = false } = {}): ObjectSchema<F> {
	const named = Object.entries(fields).map(([name, schema]) => [name, schema, isOptional(schema)] as const);
	const required = named.filter(([, , mayBeAbsent]) => !mayBeAbsent).map(([name]) => name);
	return {
		fields,
		json: {
			type: "object",
			...(strict && { additionalProperties: false }),
			...(required.length > 0 && { required }),
			properties: Object.fromEntries(named.map(([name, { json }]) => [name, json])),
		},
		read(value, place) {
			const given = objectAt(value, place);
			const other = strict ? Object.keys(given).find((name) => !Object.hasOwn(fields, name)) : undefined;
			if (other !== undefined) {
				const names = named.map(([name]) => name).join(", ");
				refuse(partOf(place, other), names === "" ? "is not known" : `is not known; use ${names}`);
			}
			const values: Record<string, unknown> = {};
			for (const [name, schema, mayBeAbsent] of named) {
				const each = Object.hasOwn(given, name) ? given[name] : undefined;
				if (mayBeAbsent && (each === undefined || (each === null && !("takesNull" in schema)))) {
					if ("otherwise" in schema) values[name] = schema.otherwise;
					continue;
				}
				if (each === undefined) refuse(partOf(place, name), "is missing");
				values[name] = schema.read(each, partOf(place, name));
			}
			// Every field was read by the schema that gives it its type.
			return values as FieldValues<F>;
		},
	};
}

/** Value of the first type that takes it. */
export function union<S extends readonly Schema<unknown>[]>(...schemas: S): Schema<Infer<S[number]>> {
	return {
		json: { anyOf: schemas.map(({ json }) => json) },
		read(value, place) {
			const fits = schemas.find((schema) => parsed(schema, value) !== undefined);
			// The schemas of the list are of these types.
			return (fits ?? schemas.at(-1))?.read(value, place) as Infer<S[number]>;
		},
	};
}

/** Any JSON value of limited depth: a recursive walk of a deeper one could overflow the stack. */
export function anything({ depth = 100 } = {}): Schema<unknown> {
	return {
		json: {},
		read: (value, place) => (isDeeper(value, depth) ? refuse(place, `must be nested at most ${depth} deep`) : value),
	};
}

/** Error with the field named as in the argument, not as in the API (`max_tokens`) or by its path in the settings. */
export function inArgument(error: ClientError, fields: object): ClientError {
	const { message, status, field = "" } = error;
	const [, head = "", rest = ""] = /^(?:credential\.)?(\w+)(.*)$/s.exec(field) ?? [];
	const name = head.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
	if (field in fields || !(name in fields)) return error;
	// A service's own words about a field stay as they are.
	const isOurs = status === undefined && message.startsWith(`${field} `);
	const sentence = isOurs ? name + rest + message.slice(field.length) : message;
	return withFacts(error, { field: name + rest }, sentence);
}

function isOptional(schema: Schema<unknown>): boolean {
	return "isOptional" in schema || "otherwise" in schema;
}

function objectAt(value: unknown, place: SchemaPlace): Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(place, "must be an object");
	return value as Readonly<Record<string, unknown>>;
}

function refuse({ service, field }: SchemaPlace, rule: string): never {
	throw invalid(service, field, rule);
}

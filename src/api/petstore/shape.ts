import { isDeepStrictEqual } from "node:util";
import { invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import * as schema from "#base/schema.ts";
import { pathPart } from "../http/address.ts";
import { wireTime } from "./date-time.ts";

/** Structure of a value in JSON and in XML (contract section 2). */
type Structure =
	| { readonly kind: "int64" }
	| { readonly kind: "int32" }
	/** `values` are those that may be sent, in the contract's order. */
	| { readonly kind: "text"; readonly values?: readonly string[]; readonly secret?: boolean }
	| { readonly kind: "flag" }
	| { readonly kind: "time" }
	| ListStructure
	| RecordStructure
	/** An object that maps any name to an int32. */
	| { readonly kind: "counts" }
	/** A file of a form; never in a reply. */
	| { readonly kind: "file" }
	/** Answer to a login; only ever a reply. */
	| { readonly kind: "session" };

interface ListStructure {
	readonly kind: "list";
	readonly item: AnyShape;
	/** The element of each item in XML. */
	readonly element: string;
}

interface RecordStructure {
	readonly kind: "record";
	/** The model's name, which is the root element in XML. */
	readonly name: string;
	/** In the contract's order. */
	readonly fields: Readonly<Record<string, AnyShape>>;
	/** Fields that are required to send it; a reply may lack them. */
	readonly required: readonly string[];
}

/** Schema that checks what is sent, with the structure that decodes replies and writes bodies. */
export type Shape<T> = schema.Schema<T> & Structure;

/** Key of the JSON that a record was read from. Copies keep it; JSON, logs and results never show it. */
export const RAW = Symbol("raw");

/** Record with the JSON that it was read from, which a save of it is merged into. */
interface WithRaw {
	readonly [RAW]?: unknown;
}

/** JSON that a record was read from, if any. */
export function rawOf(record: unknown): unknown {
	return typeof record === "object" && record !== null && RAW in record ? record[RAW] : undefined;
}

/** Copy of a record that is merged into this JSON when it is sent; undefined changes nothing. */
export function withRaw<T extends object>(raw: unknown, record: T): T & WithRaw {
	return raw === undefined ? record : { ...record, [RAW]: raw };
}

/** True if two records have equal fields. */
export function isSameRecord<T extends object>({ fields }: { readonly fields: object }, one: T, other: T): boolean {
	return (Object.keys(fields) as (keyof T)[]).every((name) => isSameValue(one[name], other[name]));
}

/** True if two values are equal. An empty list equals an absent one, as in XML. */
export function isSameValue(one: unknown, other: unknown): boolean {
	const [a, b] = [one, other].map((each) => (Array.isArray(each) && each.length === 0 ? undefined : each));
	return isDeepStrictEqual(a, b);
}

/** Shape of any value. */
export type AnyShape = Shape<unknown>;

/** Shape of an array. */
export type ListShape = AnyShape & ListStructure;

/** Shape of an object. */
export type RecordShape = AnyShape & RecordStructure;

/** The type of the values of a shape. */
export type ValueOf<S> = schema.Infer<S>;

/** Checked argument in wire form. Throws ClientError `invalid` with the place below `field`; `body` is left out. */
export function checked<T>(shape: Shape<T>, value: unknown, field: string): T {
	return shape.read(value, { service: "petstore", field, isRoot: field === "body" });
}

/** Shape of a whole number of 64 bits. */
export function int64Shape({ min, max }: schema.Limits = {}): Shape<Int64> {
	const range = max === undefined ? `must be ${min} or more` : `must be from ${min} to ${max}`;
	const isWithin = (id: bigint) => (min === undefined || id >= min) && (max === undefined || id <= max);
	return { kind: "int64", ...schema.refine(schema.int64(), (id) => (isWithin(BigInt(id)) ? undefined : range)) };
}

/** Any int32. */
export const int32Shape: Shape<number> = {
	kind: "int32",
	...schema.refine(schema.integer(), (value) => ((value | 0) === value ? undefined : "must fit into 32 bits")),
};

/** Any text. */
export const textShape: Shape<string> = {
	kind: "text",
	...schema.refine(schema.text(), (value) => (value.isWellFormed() ? undefined : "has half a character")),
};

/** Username that can be part of a path. */
export const usernameShape: Shape<string> = {
	kind: "text",
	...schema.convert(textShape, (value, { field }) => {
		pathPart("petstore", [field, value]);
		return value;
	}),
};

/** Text that only the service may see. */
export const secretTextShape: Shape<string> = { ...textShape, kind: "text", secret: true };

/** True or false. */
export const flagShape: Shape<boolean> = { kind: "flag", ...schema.flag() };

/** Time, as the service wrote it in a reply; `timeOf` reads it. */
export const timeShape: Shape<string> = {
	kind: "time",
	...schema.convert(schema.text(), (value, { service, field }) => {
		const exact = wireTime(value);
		if (exact === null) throw invalid(service, field, "must be a time such as 2026-11-21T10:18:27.678Z");
		return exact;
	}),
};

/** Shape of one of these texts; a reply may hold others. */
export function oneOfShape(...values: readonly string[]): Shape<string> {
	return { kind: "text", values, ...schema.oneOf(...values) };
}

/** Shape of an array. */
export function listShape<T>(item: Shape<T>, element: string, { min = 0 } = {}): Shape<readonly T[]> & ListStructure {
	return { kind: "list", item, element, ...schema.list(item, { min }) };
}

type Values<F, R> = {
	readonly [K in keyof F as K extends R ? K : never]: ValueOf<F[K]>;
} & { readonly [K in keyof F as K extends R ? never : K]?: ValueOf<F[K]> } & WithRaw;

/** Shape of an object with these fields, some of them required when it is sent. */
export function recordShape<F extends Readonly<Record<string, AnyShape>>, R extends keyof F & string = never>(
	name: string,
	fields: F,
	required: readonly R[] = [],
): Shape<Values<F, R>> & RecordStructure & { readonly fields: F } {
	const names: ReadonlySet<string> = new Set(required);
	const all = Object.entries(fields).map(([field, shape]) => [
		field,
		names.has(field) ? shape : schema.optional(shape),
	]);
	const { json, read } = schema.object<schema.SchemaFields>(Object.fromEntries(all), { strict: true });
	// Each field was read by the shape that gives it its type.
	const checked = (value: unknown, place: schema.SchemaPlace) => read(value, place) as Values<F, R>;
	return {
		kind: "record",
		name,
		fields,
		required,
		json,
		read: (value, at) => withRaw(rawOf(value), checked(value, at)),
	};
}

/** Shape that also accepts the text `own` in place of a listed one. */
export function alsoTaking<T>(shape: Shape<T>, own: string | undefined): Shape<T>;
export function alsoTaking(shape: AnyShape, own: string | undefined): AnyShape {
	if (own === undefined) return shape;
	if (shape.kind === "text" && shape.values?.includes(own) === false) return oneOfShape(...shape.values, own);
	if (shape.kind !== "record") return shape;
	const fields = Object.entries(shape.fields).map(([name, field]) => [name, alsoTaking(field, own)]);
	return recordShape(shape.name, Object.fromEntries(fields), shape.required);
}

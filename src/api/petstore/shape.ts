/** Shape of a value on the wire, in JSON and in XML (contract section 2). */
export type AnyShape =
	| Int64Shape
	| Int32Shape
	| TextShape
	| { readonly kind: "flag" }
	| { readonly kind: "time" }
	| ListShape
	| RecordShape
	/** An object that maps any name to an int32. */
	| { readonly kind: "counts" }
	/** A file of a form; never in a reply. */
	| { readonly kind: "file" }
	/** Answer to a login; only ever a reply. */
	| { readonly kind: "session" };

/** A whole number of 64 bits; without limits of its own where they are absent. */
export interface Int64Shape {
	readonly kind: "int64";
	readonly min?: number;
	readonly max?: number;
}

/** A whole number of 32 bits. */
export interface Int32Shape {
	readonly kind: "int32";
}

/** Text. */
export interface TextShape {
	readonly kind: "text";
	/** All that may be sent, in the contract's order; a reply may hold anything. */
	readonly values?: readonly string[];
	/** True for a name that an address is made of. */
	readonly isName?: boolean;
	/** True for a secret. */
	readonly secret?: boolean;
}

/** An array. */
export interface ListShape {
	readonly kind: "list";
	readonly item: AnyShape;
	/** The element of each item in XML. */
	readonly element: string;
	readonly min?: number;
}

/** An object. */
export interface RecordShape {
	readonly kind: "record";
	/** The model's name, which is the root element in XML. */
	readonly name: string;
	/** In the contract's order. */
	readonly fields: Readonly<Record<string, AnyShape>>;
	/** The names of those without which it must not be sent. A reply may lack them. */
	readonly required: readonly string[];
}

declare const type: unique symbol;

/** A shape whose values are of the type `T`. */
export type Shape<T> = AnyShape & { readonly [type]?: T };

/** The type of the values of a shape. */
export type ValueOf<S> = S extends { readonly [type]?: infer T } ? Exclude<T, undefined> : never;

/** The shape of an object with a shape for each field of `T`. */
export function record<T extends object>(
	name: string,
	fields: { readonly [K in keyof T & string]-?: Shape<Exclude<T[K], undefined>> },
	required: readonly (keyof T & string)[] = [],
): Shape<T> {
	return { kind: "record", name, fields, required };
}

/** The shape of an array. */
export function list<T>(item: Shape<T>, element: string, { min = 0 } = {}): Shape<readonly T[]> {
	return { kind: "list", item, element, min };
}

/** Shape that also takes the text `told` where one of some texts is wanted. */
export function alsoTaking<T>(shape: Shape<T>, told: string | undefined): Shape<T> {
	if (told === undefined) return shape;
	if (shape.kind === "text" && shape.values?.includes(told) === false)
		return { ...shape, values: [...shape.values, told] };
	if (shape.kind !== "record") return shape;
	const fields = Object.entries(shape.fields).map(([name, field]) => [name, alsoTaking(field, told)]);
	return { ...shape, fields: Object.fromEntries(fields) };
}

/** The shape of one of some texts; a reply may hold others. */
export function oneOf(...values: readonly string[]): Shape<string> {
	return { kind: "text", values };
}

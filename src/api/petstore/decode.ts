import { ClientError } from "#base/errors.ts";
import { exactOf } from "#base/exact-json.ts";
import { int64Of } from "#base/int64.ts";
import { isRecord } from "../http/json.ts";
import { type AnyShape, int32Shape, type ListShape, type RecordShape, type Shape, withRaw } from "./shape.ts";

/** Error of a reply with the wrong shape at `path`, such as `[3].tags`. */
export function malformedAt(path: string, rule: string): ClientError {
	const sentence = `The reply does not match the API: ${path || "it"} ${rule}.`;
	return new ClientError("petstore", "malformed", sentence, { field: path || undefined });
}

interface DecodeOptions {
	/** Hears how many items of a list were left out. */
	leftOut?: ((count: number) => void) | undefined;
	/** True for JSON, which each record then keeps as {@link RAW}. */
	readonly isJson?: boolean;
}

/**
 * Decodes a reply: JSON of `parseSourceJson`, or XML in that form. An unusable field is absent, as is a count that is not
 * a whole number; an empty reply is an empty list or inventory. Throws ClientError `malformed` for another type, words in
 * place of a count, or an object with none of its fields; a list leaves such objects out unless no other is left.
 */
export function decodePetstoreReply<T>(shape: Shape<T>, value: unknown, options: DecodeOptions = {}): T {
	// Each branch below gives back only what its shape describes.
	return (shape.kind === "list" ? itemsOf(shape, value ?? [], options) : decodeAny(shape, value, "", options)) as T;
}

/** Readable part of a value; undefined if there is none. */
export function readable(shape: AnyShape, given: unknown): unknown {
	const value = exactOf(given);
	if (shape.kind === "list" && Array.isArray(value)) {
		return value.flatMap((each: unknown) => readable(shape.item, each) ?? []);
	}
	return shape.kind === "record" && isRecord(value) ? recordOf(shape, value) : scalarOf(shape, value);
}

/** Value of JSON of `parseSourceJson` without fields that its shape does not know, for a strict check of the others. */
export function knownPart(shape: AnyShape, given: unknown): unknown {
	const value = exactOf(given);
	if (shape.kind === "list" && Array.isArray(value)) return value.map((each: unknown) => knownPart(shape.item, each));
	if (shape.kind !== "record" || !isRecord(value)) return value;
	return Object.fromEntries(Object.entries(shape.fields).map(([name, field]) => [name, knownPart(field, value[name])]));
}

function itemsOf({ item }: ListShape, value: unknown, options: DecodeOptions): readonly unknown[] {
	if (!Array.isArray(value)) throw malformedAt("", "is not a list");
	let wrong: unknown;
	const items = value.flatMap((each: unknown, index) => {
		try {
			return [decodeAny(item, each, `[${index}]`, options)];
		} catch (error) {
			wrong ??= error;
			return [];
		}
	});
	if (wrong !== undefined && items.length === 0) throw wrong;
	if (wrong !== undefined) options.leftOut?.(value.length - items.length);
	return items;
}

function decodeAny(shape: AnyShape, given: unknown, path: string, { isJson }: DecodeOptions): unknown {
	const value = exactOf(given);
	switch (shape.kind) {
		case "record": {
			if (!isRecord(value)) throw malformedAt(path, `is not a ${shape.name}`);
			const known = Object.keys(shape.fields).some((name) => name in value);
			if (!known && Object.keys(value).length > 0) throw malformedAt(path, `is not a ${shape.name}`);
			return withRaw(isJson ? value : undefined, recordOf(shape, value));
		}
		case "counts":
			if (!isRecord(value ?? {})) throw malformedAt(path, "is not an inventory");
			return countsOf(Object(value));
		default:
			return scalarOf(shape, value);
	}
}

function countsOf(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const all = Object.entries(value).map(([name, count]) => [name, readable(int32Shape, count)] as const);
	const counts = all.filter(([, count]) => count !== undefined);
	const wrong = all.filter(([, count]) => count === undefined).map(([name]) => name);
	// A text value means another object, such as an error with a number.
	const words = wrong.find((name) => typeof value[name] === "string" && value[name].trim() !== "");
	const told = words ?? (counts.length === 0 ? wrong[0] : undefined);
	if (told !== undefined) throw malformedAt(told, "is not a whole number");
	return Object.fromEntries(counts);
}

function recordOf({ fields }: RecordShape, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const decoded: Record<string, unknown> = {};
	for (const [name, shape] of Object.entries(fields)) {
		const taken = value[name] === null ? undefined : readable(shape, value[name]);
		if (taken !== undefined) decoded[name] = taken;
	}
	return decoded;
}

/** Single value, which XML and some services write as text. */
function scalarOf({ kind }: AnyShape, value: unknown): unknown {
	switch (kind) {
		case "int64":
			return int64Of(value) ?? undefined;
		case "int32": {
			const number = typeof value === "string" && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
			return Number.isSafeInteger(number) ? number : undefined;
		}
		case "flag":
			if (typeof value === "boolean") return value;
			return value === "true" || value === "1" ? true : value === "false" || value === "0" ? false : undefined;
		case "text":
		case "time":
			if (typeof value === "string") return value;
			return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
		default:
			return undefined;
	}
}

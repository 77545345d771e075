import { ClientError } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { isRecord } from "../http/json.ts";
import { type AnyShape, int32Shape, type ListShape, type RecordShape, type Shape } from "./shape.ts";

/** The error of a reply that has not the shape it should have: `path` is where, such as `[3].tags`. */
export function malformedAt(path: string, rule: string): ClientError {
	const sentence = `The reply does not match the API: ${path || "it"} ${rule}.`;
	return new ClientError("petstore", "malformed", sentence, { field: path || undefined });
}

/** Hears of a list how many items were left out, and each item that was taken in with its index in the reply. */
interface Listener {
	leftOut?: ((count: number) => void) | undefined;
	item?(item: unknown, index: number): void;
}

/**
 * Decodes a reply: exact JSON, or XML in that form. A field that is missing or unusable is absent, and so is a count that
 * is no whole number where others are; nothing at all is an empty list or inventory. Throws ClientError `malformed` where an object or a list is something else, where
 * words stand for a count, or where an object has none of its fields. Of a list with other items such an object is left
 * out.
 */
export function decodePetstoreReply<T>(shape: Shape<T>, value: unknown, heard: Listener = {}): T {
	// Each branch below gives back only what its shape describes.
	return (shape.kind === "list" ? itemsOf(shape, value ?? [], heard) : decodeAny(shape, value, "")) as T;
}

/** Part of a reply as far as it can be read; undefined where nothing can. */
export function readable(shape: AnyShape, value: unknown): unknown {
	if (shape.kind === "list" && Array.isArray(value)) {
		return value.flatMap((each: unknown) => readable(shape.item, each) ?? []);
	}
	return shape.kind === "record" && isRecord(value) ? recordOf(shape, value) : scalarOf(shape, value);
}

function itemsOf({ item }: ListShape, value: unknown, { leftOut, item: taken }: Listener): readonly unknown[] {
	if (!Array.isArray(value)) throw malformedAt("", "is not a list");
	let wrong: unknown;
	const items = value.flatMap((each: unknown, index) => {
		try {
			const decoded = decodeAny(item, each, `[${index}]`);
			taken?.(decoded, index);
			return [decoded];
		} catch (error) {
			wrong ??= error;
			return [];
		}
	});
	if (wrong !== undefined && items.length === 0) throw wrong;
	if (wrong !== undefined) leftOut?.(value.length - items.length);
	return items;
}

function decodeAny(shape: AnyShape, value: unknown, path: string): unknown {
	switch (shape.kind) {
		case "record": {
			if (!isRecord(value)) throw malformedAt(path, `is not a ${shape.name}`);
			const known = Object.keys(shape.fields).some((name) => name in value);
			if (!known && Object.keys(value).length > 0) throw malformedAt(path, `is not a ${shape.name}`);
			return recordOf(shape, value);
		}
		case "counts":
			if (!isRecord(value ?? {})) throw malformedAt(path, "is not an inventory");
			return countsOf(Object(value));
		default:
			return scalarOf(shape, value);
	}
}

function countsOf(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const all = Object.entries(value).map(([name, count]) => [name, scalarOf(int32Shape, count)] as const);
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

/** A single value; XML knows only text, and so do some services in their JSON. */
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

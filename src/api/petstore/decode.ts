import { ClientError } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { isRecord } from "../http/json.ts";
import type { AnyShape, ListShape, RecordShape, Shape } from "./shape.ts";

/** The error of a reply that has not the shape it should have: `path` is where, such as `[3].tags`. */
export function malformed(path: string, rule: string): ClientError {
	const facts = path === "" ? {} : { field: path };
	return new ClientError(
		"petstore",
		"malformed",
		`The reply is not what it should be: ${path || "it"} ${rule}.`,
		facts,
	);
}

/** Hears what is not taken in. */
export interface DecodeListener {
	/** So many items of a list are no such thing. */
	readonly leftOut?: ((count: number) => void) | undefined;
	/** What stands in this place of an object, such as `sold`, cannot be used. */
	readonly unread?: ((path: string, value: unknown) => void) | undefined;
}

/** Where something stands, and who hears of it. */
interface Place extends DecodeListener {
	readonly path: string;
}

/**
 * The value that a reply holds, JSON read exactly or XML brought into the same form. What has the right structure is
 * taken in: a field that is missing or unusable is absent, and so is a count that is no whole number where others are.
 * Throws ClientError `malformed` where an object or a list is something else, where words stand for a count, or where an
 * object has not a single field that it should have. Of a list in which others are right such an object is left out.
 */
export function decode<T>(shape: Shape<T>, value: unknown, heard: DecodeListener = {}): T {
	// Each branch below gives back only what its shape describes.
	return (shape.kind === "list" ? itemsOf(shape, value, heard) : decodeAny(shape, value, { path: "", ...heard })) as T;
}

function itemsOf({ item }: ListShape, value: unknown, { leftOut }: DecodeListener): readonly unknown[] {
	if (!Array.isArray(value)) throw malformed("", "is not a list");
	let wrong: unknown;
	const items = value.flatMap((each: unknown, index) => {
		try {
			return [decodeAny(item, each, { path: `[${index}]` })];
		} catch (error) {
			wrong ??= error;
			return [];
		}
	});
	// What holds nothing else is something else.
	if (wrong !== undefined && items.length === 0) throw wrong;
	if (wrong !== undefined) leftOut?.(value.length - items.length);
	return items;
}

function decodeAny(shape: AnyShape, value: unknown, place: Place): unknown {
	const { path } = place;
	switch (shape.kind) {
		case "record": {
			if (!isRecord(value)) throw malformed(path, `is not a ${shape.name}`);
			const known = Object.keys(shape.fields).some((name) => name in value);
			if (!known && Object.keys(value).length > 0) throw malformed(path, `is not a ${shape.name}`);
			return recordOf(shape, value, place);
		}
		case "counts":
			if (!isRecord(value)) throw malformed(path, "is not an inventory");
			return countsOf(value, place);
		default:
			return scalarOf(shape, value);
	}
}

function countsOf(value: Readonly<Record<string, unknown>>, { unread }: Place): Record<string, unknown> {
	const all = Object.entries(value).map(([name, count]) => [name, scalarOf({ kind: "int32" }, count)] as const);
	const counts = all.filter(([, count]) => count !== undefined);
	const wrong = all.filter(([, count]) => count === undefined).map(([name]) => name);
	// Words tell that it is something else, such as an error with a number.
	const words = wrong.find((name) => typeof value[name] === "string" && value[name].trim() !== "");
	const told = words ?? (counts.length === 0 ? wrong[0] : undefined);
	if (told !== undefined) throw malformed(told, "is not a whole number");
	for (const name of wrong) unread?.(name, value[name]);
	return Object.fromEntries(counts);
}

function recordOf(
	{ fields }: RecordShape,
	value: Readonly<Record<string, unknown>>,
	{ path, unread }: Place,
): Record<string, unknown> {
	const below = (name: string) => ({ path: path === "" ? name : `${path}.${name}`, unread });
	if (unread !== undefined) {
		for (const name of Object.keys(value)) {
			if (!Object.hasOwn(fields, name)) passOver(value[name], below(name));
		}
	}
	const decoded: Record<string, unknown> = {};
	for (const name in fields) {
		const shape = fields[name];
		const given = value[name];
		if (shape === undefined || given === undefined || given === null) continue;
		const taken = fieldOf(shape, given, below(name));
		if (taken !== undefined) decoded[name] = taken;
	}
	return decoded;
}

/** A field of an object; where it is of another kind it is passed over. */
function fieldOf(shape: AnyShape, value: unknown, place: Place): unknown {
	const { path, unread } = place;
	if (shape.kind === "list" && Array.isArray(value)) {
		return value.flatMap((each: unknown, at) => fieldOf(shape.item, each, { path: `${path}[${at}]`, unread }) ?? []);
	}
	if (shape.kind === "record" && isRecord(value)) return recordOf(shape, value, place);
	return scalarOf(shape, value) ?? passOver(value, place);
}

/** What says nothing is no loss. */
function passOver(value: unknown, { path, unread }: Place): undefined {
	const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
	const isBlank = typeof value === "string" && value.trim() === "";
	if (value !== null && value !== undefined && !isEmpty && !isBlank) unread?.(path, value);
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

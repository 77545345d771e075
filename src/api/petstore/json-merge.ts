import { isDeepStrictEqual } from "node:util";
import { exactOf, jsonDigits } from "#base/exact-json.ts";
import { isRecord } from "../http/json.ts";
import { readable } from "./decode.ts";
import { type AnyShape, rawOf } from "./shape.ts";

/** Value for `JSON.stringify`, merged into the JSON that it was read from: unknown fields are kept. */
export function merged(shape: AnyShape, value: unknown, raw = rawOf(value)): unknown {
	if (raw === undefined) return wireJson(shape, value);
	// An untouched part goes back as it came, even if not all of it could be read.
	if (isDeepStrictEqual(readable(shape, raw), value)) return raw;
	if (shape.kind === "list" && Array.isArray(value) && Array.isArray(raw)) {
		const left: unknown[] = [...raw];
		return value.map((item: unknown) => {
			const at = left.findIndex((each) => isSameItem(readable(shape.item, each), item));
			return merged(shape.item, item, at === -1 ? undefined : left.splice(at, 1)[0]);
		});
	}
	const before = exactOf(raw);
	if (shape.kind !== "record" || !isRecord(value) || !isRecord(before)) return wireJson(shape, value);
	const result = { ...before };
	for (const [name, field] of Object.entries(shape.fields)) {
		const part = Object.hasOwn(before, name) ? before[name] : undefined;
		if (value[name] !== undefined) result[name] = merged(field, value[name], part);
		else if (readable(field, part) !== undefined) delete result[name];
	}
	return result;
}

function isSameItem(one: unknown, other: unknown): boolean {
	if (isDeepStrictEqual(one, other)) return true;
	return isRecord(one) && isRecord(other) && one["id"] !== undefined && one["id"] === other["id"];
}

/** Document of a value: indented JSON, with ids as numbers of all their digits. */
export function writeJson(shape: AnyShape, value: unknown): string {
	return `${JSON.stringify(wireJson(shape, value), null, 2)}\n`;
}

/** Converts a value for `JSON.stringify`: int64 texts become digits, undefined fields are left out. */
function wireJson(shape: AnyShape, value: unknown): unknown {
	if (shape.kind === "int64" && typeof value === "string") return jsonDigits(value);
	if (shape.kind === "list" && Array.isArray(value)) return value.map((item: unknown) => wireJson(shape.item, item));
	if (shape.kind !== "record" || !isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(shape.fields)
			.filter(([name]) => value[name] !== undefined)
			.map(([name, field]) => [name, wireJson(field, value[name])]),
	);
}

import { jsonDigits } from "#base/exact-json.ts";
import { isRecord } from "../http/json.ts";
import type { AnyShape } from "./shape.ts";

/** A checked value as JSON: ids of 64 bits are numbers with all their digits. Indented by so many spaces, if any. */
export function writeJson(shape: AnyShape, value: unknown, { indent = 0 } = {}): string {
	return JSON.stringify(wireJson(shape, value), null, indent);
}

/** Value that `JSON.stringify` writes as the service expects it. */
export function wireJson(shape: AnyShape, value: unknown): unknown {
	if (shape.kind === "int64" && typeof value === "string") return jsonDigits(value);
	if (shape.kind === "list" && Array.isArray(value)) return value.map((item: unknown) => wireJson(shape.item, item));
	if (shape.kind !== "record" || !isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(shape.fields)
			.filter(([name]) => value[name] !== undefined)
			.map(([name, field]) => [name, wireJson(field, value[name])]),
	);
}

import { jsonDigits } from "#base/exact-json.ts";
import { mediaTypesOf } from "#sandbox/http.ts";

/** Reads JSON; every integer becomes a `bigint`, so that no digit of an id is lost. Throws a `SyntaxError`. */
export function parseExact(text: string): unknown {
	return JSON.parse(text, (_, value: unknown, { source = "" }) =>
		typeof value === "number" && /^-?\d+$/.test(source) ? BigInt(source) : value,
	);
}

/** Writes JSON; a `bigint` becomes a number with all its digits. */
export function stringifyExact(value: unknown): string {
	const text: string | undefined = JSON.stringify(value, (_, one: unknown) =>
		typeof one === "bigint" ? jsonDigits(one.toString()) : one,
	);
	return text ?? "";
}

/** Format of a body. */
export type Format = "json" | "xml";

/** The media types of the formats (contract section 1). */
export const MEDIA_TYPES: Readonly<Record<Format, string>> = { json: "application/json", xml: "application/xml" };

/** All formats, the one that is sent by default first. */
export const FORMATS: readonly Format[] = ["json", "xml"];

/** The format of those given that an `Accept` header names first, by itself or by a wildcard; undefined for none. */
export function formatOf(accept = "*/*", given = FORMATS): Format | undefined {
	const types = mediaTypesOf(accept).map((type) =>
		given.find((format) => [MEDIA_TYPES[format], "application/*", "*/*"].includes(type)),
	);
	return types.find((format) => format !== undefined);
}

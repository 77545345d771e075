import { jsonDigits } from "#base/exact-json.ts";
import { mediaTypesOf } from "#sandbox/http.ts";

/** Parses JSON with every integer as a `bigint`. Throws SyntaxError. */
export function parseExact(text: string): unknown {
	return JSON.parse(text, (_, value: unknown, { source = "" }) =>
		typeof value === "number" && /^-?\d+$/.test(source) ? BigInt(source) : value,
	);
}

/** Serializes JSON with all digits of a `bigint`. */
export function stringifyExact(value: unknown): string {
	const text: string | undefined = JSON.stringify(value, (_, one: unknown) =>
		typeof one === "bigint" ? jsonDigits(one.toString()) : one,
	);
	return text ?? "";
}

/** Format of a body. */
export type Format = "json" | "xml";

/** Media types (contract section 1). */
export const MEDIA_TYPES: Readonly<Record<Format, string>> = { json: "application/json", xml: "application/xml" };

/** Formats, the default first. */
export const FORMATS: readonly Format[] = ["json", "xml"];

/** First format that an `Accept` header takes, by name or wildcard; undefined for none. */
export function formatOf(accept = "*/*", given = FORMATS): Format | undefined {
	const types = mediaTypesOf(accept).map((type) =>
		given.find((format) => [MEDIA_TYPES[format], "application/*", "*/*"].includes(type)),
	);
	return types.find((format) => format !== undefined);
}

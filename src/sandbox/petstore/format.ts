import { jsonDigits } from "#base/exact-json.ts";
import { mediaRangesOf } from "#sandbox/http.ts";

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

/**
 * The format that an `Accept` header likes best among those that are given, JSON where it likes several as much;
 * undefined where it takes none of them.
 */
export function formatOf(accept: string | undefined, given: readonly Format[]): Format | undefined {
	if (accept === undefined) return given[0];
	const ranges = mediaRangesOf(accept);
	const liking = (format: Format): number => {
		// The most exact range decides, not the kindest.
		const exact = [MEDIA_TYPES[format], "application/*", "*/*"];
		return exact.map((type) => ranges.find((range) => range.type === type)).find((one) => one)?.quality ?? 0;
	};
	const [best] = given.toSorted((a, b) => liking(b) - liking(a));
	return best !== undefined && liking(best) > 0 ? best : undefined;
}

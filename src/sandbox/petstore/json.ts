import { jsonDigits } from "#base/exact-json.ts";

declare global {
	interface JSON {
		/** As ever, and the reviver is told the text of a number. */
		parse(
			text: string,
			reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
		): unknown;
	}
}

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

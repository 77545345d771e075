import { LIMITS } from "./limits.ts";

declare global {
	interface JSON {
		/** Returns an object that `JSON.stringify` writes as this text. */
		rawJSON(text: string): object;
		/** Parses JSON; the reviver also gets the source text of a number. */
		parse(
			text: string,
			reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
		): unknown;
	}
}

/** Reads JSON of others. Throws SyntaxError, also where it is nested so deep that a walk through it could end the stack. */
export function parseBoundedJson(text: string): unknown {
	return bounded(JSON.parse(text), text);
}

/**
 * Reads JSON without losing digits: a whole number that is too long to be exact comes as its digits, such as
 * `"9007199254740993"`; every other value is what `JSON.parse` makes of it. Throws as {@link parseBoundedJson} does.
 */
export function parseExactJson(text: string): unknown {
	if (!/\d{16}/.test(text)) return parseBoundedJson(text);
	const exact = (_name: string, value: unknown, { source = "" }: { readonly source?: string }): unknown =>
		typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
	return bounded(JSON.parse(text, exact), text);
}

function bounded(value: unknown, { length }: string): unknown {
	// A level takes two characters: the short events of a stream are not walked through.
	if (length > 2 * LIMITS.jsonDepth && isDeeper(value, LIMITS.jsonDepth))
		throw new SyntaxError("The JSON is nested too deep.");
	return value;
}

/** True if a value has arrays and objects inside each other in more levels than these. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (levels === 0) return true;
	for (const each of Array.isArray(value) ? value : Object.values(value)) if (isDeeper(each, levels - 1)) return true;
	return false;
}

/** A whole number, given as its digits, that `JSON.stringify` writes unquoted. Throws SyntaxError for other text. */
export function jsonDigits(digits: string): object {
	if (!/^-?\d+$/.test(digits)) throw new SyntaxError("These are not the digits of a whole number.");
	return JSON.rawJSON(digits);
}

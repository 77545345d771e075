import { LIMITS } from "./limits.ts";

/** Text that `JSON.stringify` writes as it is. */
interface RawJson {
	readonly rawJSON: string;
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
	interface JSON {
		/** Object that `JSON.stringify` writes as this text. */
		rawJSON(text: string): RawJson;
		isRawJSON(value: unknown): value is RawJson;
		/** Parses JSON; the reviver also gets the source of a number. */
		parse(text: string, reviver: Reviver | undefined): unknown;
	}
}

/** Parses JSON from outside. Throws SyntaxError, also where nesting could overflow the stack of a recursive walk. */
export function parseBoundedJson(text: string, reviver?: Reviver): unknown {
	try {
		const value = JSON.parse(text, reviver);
		// A level takes two characters: the short events of a stream are not walked through.
		if (text.length <= 2 * LIMITS.jsonDepth || !isDeeper(value, LIMITS.jsonDepth)) return value;
	} catch (error) {
		// The reviver's walk has overflowed the stack.
		if (!(error instanceof RangeError)) throw error;
	}
	throw new SyntaxError("The JSON is nested too deep.");
}

/** Parses JSON; a whole number too long to be exact becomes its digits as text. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
	const exactly: Reviver = (_name, each, { source = "" }) =>
		typeof each === "number" && !Number.isSafeInteger(each) && /^-?\d+$/.test(source) ? source : each;
	return parseBoundedJson(text, /\d{16}/.test(text) ? exactly : undefined);
}

/** Number that may be written in another way than JavaScript writes it, or have more digits than it can hold. */
const ODD_NUMBER = /(?:^|[\s,:[])(?:-?\d{16}|-?\d+[.eE]|-0)/;

/** Parses JSON whose numbers `JSON.stringify` writes as they came. Throws SyntaxError. */
export function parseSourceJson(text: string): unknown {
	const asWritten: Reviver = (_name, each, { source = "" }) =>
		typeof each === "number" && (isTooLong(each) || String(each) !== source) ? JSON.rawJSON(source) : each;
	return parseBoundedJson(text, ODD_NUMBER.test(text) ? asWritten : undefined);
}

/** Value of a number of {@link parseSourceJson}: digits where a whole number is too long to be exact. */
export function exactOf(value: unknown): unknown {
	if (typeof value !== "object" || !JSON.isRawJSON(value)) return value;
	const number = Number(value.rawJSON);
	return isTooLong(number) && /^-?\d+$/.test(value.rawJSON) ? value.rawJSON : number;
}

function isTooLong(value: number): boolean {
	return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** First field that occurs twice in an object, and its line; undefined for none. */
export function repeatedField(text: string): { readonly name: string; readonly line: number } | undefined {
	const open: Set<unknown>[] = [];
	for (const { 0: token, 1: name, index } of text.matchAll(
		/("[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/g,
	)) {
		if (token === "{") open.push(new Set());
		else if (token === "}") open.pop();
		if (name === undefined) continue;
		const read = String(JSON.parse(name));
		if (open.at(-1)?.has(read)) return { name: read, line: text.slice(0, index).split("\n").length };
		open.at(-1)?.add(read);
	}
	return undefined;
}

/** True if arrays and objects are nested in more levels. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (levels === 0) return true;
	for (const each of Array.isArray(value) ? value : Object.values(value)) if (isDeeper(each, levels - 1)) return true;
	return false;
}

/** Whole number that `JSON.stringify` writes as these digits. Throws SyntaxError. */
export function jsonDigits(digits: string): object {
	if (!/^-?\d+$/.test(digits)) throw new SyntaxError("These are not the digits of a whole number.");
	return JSON.rawJSON(digits);
}

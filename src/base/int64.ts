declare const exact: unique symbol;

/**
 * A whole number of 64 bits with a sign, as decimal digits: numbers lose the last digits of such an id, and a bigint
 * survives neither JSON nor the messages of the editor. Written in one way only, so that two are the same number when
 * they are the same text.
 */
export type Int64 = string & { readonly [exact]: "int64" };

const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);

/** Longer digits are no int64, whatever zeros they begin with; `BigInt` takes a long time over millions of them. */
const LONGEST = 40;

/**
 * The int64 that a value stands for: whole digits as text, a number that is exact, or a bigint. Null for anything else,
 * a number beyond 2^53 included: its last digits are lost already.
 */
export function int64Of(value: unknown): Int64 | null {
	if (typeof value === "number") return Number.isSafeInteger(value) ? brand(BigInt(value)) : null;
	if (typeof value === "bigint") return brand(value);
	if (typeof value !== "string") return null;
	const digits = value.trim();
	return digits.length <= LONGEST && /^-?\d+$/.test(digits) ? brand(BigInt(digits)) : null;
}

function brand(value: bigint): Int64 | null {
	// The digits of an integer in range are what the type says.
	return value >= LEAST && value <= MOST ? (String(value) as Int64) : null;
}

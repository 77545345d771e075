declare const exact: unique symbol;

/** Signed 64-bit integer as canonical digits: a `number` loses some, and a `bigint` is lost in JSON and postMessage. */
export type Int64 = string & { readonly [exact]: "int64" };

const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);

/** Longer digits are no int64, whatever zeros they begin with; `BigInt` takes a long time over millions of them. */
const LONGEST = 40;

/** Int64 of digits, a safe integer or a bigint; null for anything else: larger numbers have lost digits. */
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

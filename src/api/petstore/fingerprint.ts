import { createHmac, randomBytes } from "node:crypto";
import { isRecord } from "../http/json.ts";

/** Nobody outside this process can try out what it was that a fingerprint is of. */
const KEY = randomBytes(32);

/**
 * Tells whether two values, JSON read exactly, mean the same, but not what they are. Neither the order of fields nor how
 * a number is written means anything.
 */
export function fingerprintOf(value: unknown): string {
	return createHmac("sha256", KEY)
		.update(JSON.stringify(value, (_, each: unknown) => alike(each)) ?? "")
		.digest("base64");
}

function alike(value: unknown): unknown {
	if (isRecord(value))
		return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
	// Too long to be exact it comes as its digits, but not where it is written with a point or an exponent.
	const isLong = Number.isInteger(value) && !Number.isSafeInteger(value);
	return isLong && typeof value === "number" ? String(BigInt(value)) : value;
}

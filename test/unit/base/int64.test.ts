import { strict as assert } from "node:assert";
import { test } from "node:test";
import { int64Of } from "#base/int64.ts";

test("an int64 is its digits, in one way of writing only", () => {
	for (const [value, digits] of [
		["9223372036854775807", "9223372036854775807"],
		["-9223372036854775808", "-9223372036854775808"],
		[" 007 ", "7"],
		["-0", "0"],
		[-0, "0"],
		[9007199254740991, "9007199254740991"],
		[9007199254740993n, "9007199254740993"],
	] as const) {
		assert.equal(int64Of(value), digits);
	}
});

test("a number that is fractional, out of range or no longer exact is no int64", () => {
	for (const value of [
		"9223372036854775808",
		"-9223372036854775809",
		"1.0",
		"1e3",
		"0x1",
		"+1",
		"",
		" ",
		"1 2",
		1.5,
		2 ** 53,
		Number.NaN,
		null,
		true,
		{},
		"9".repeat(5_000_000),
		2n ** 63n,
	]) {
		assert.equal(int64Of(value), null);
	}
});

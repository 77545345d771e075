import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintOf } from "#api/petstore/fingerprint.ts";
import { parseExactJson } from "#base/exact-json.ts";

function isSame(one: string, other: string): boolean {
	return fingerprintOf(parseExactJson(one)) === fingerprintOf(parseExactJson(other));
}

test("the order of fields and the spelling of numbers mean nothing, at any depth", () => {
	assert.ok(isSame('{"a":1,"b":[{"c":2,"d":null}]}', '{ "b": [{"d":null, "c":2.0}], "a":1e0 }'));
	assert.ok(isSame("[100000000000000000000, 0.5]", "[1e20, 5e-1]"));
});

test("every value, its kind, its digits and the order of a list mean something", () => {
	const values = ["1", '"1"', "true", "null", "[]", "{}", "[1,2]", "[2,1]", '{"a":1}', '{"b":1}', '{"a":[1]}', '""'];
	assert.equal(new Set(values.map((each) => fingerprintOf(parseExactJson(each)))).size, values.length);
	assert.ok(!isSame("9223372036854775807", "9223372036854775808"));
});

test("a fingerprint is as long for any value, and tells nothing of it", () => {
	assert.match(fingerprintOf({ password: "swordfish" }), /^[\w+/]{43}=$/);
	assert.equal(fingerprintOf("x".repeat(1_000_000)).length, 44);
});

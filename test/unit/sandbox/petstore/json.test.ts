import { strict as assert } from "node:assert";
import { test } from "node:test";
import { parseExact, stringifyExact } from "#sandbox/petstore/json.ts";

test("integers of any length survive reading and writing, digit by digit", () => {
	for (const text of ["9007199254740993", "9223372036854775807", "-9223372036854775808", "0", `1${"0".repeat(400)}`]) {
		assert.equal(stringifyExact(parseExact(`{"id":[${text}]}`)), `{"id":[${text}]}`);
	}
});

test("what is no plain integer stays what JSON makes of it, also a string of digits", () => {
	assert.deepEqual(parseExact('[1.5,1e3,"9007199254740993",true,null]'), [1.5, 1000, "9007199254740993", true, null]);
	assert.equal(stringifyExact({ a: undefined, b: "1", c: 2 }), '{"b":"1","c":2}');
	assert.equal(stringifyExact(undefined), "");
});

test("broken JSON is a SyntaxError", () => {
	for (const text of ["", "{", "01", '{"a":1,}']) assert.throws(() => parseExact(text), SyntaxError, text);
});

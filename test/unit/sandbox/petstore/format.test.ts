import { strict as assert } from "node:assert";
import { test } from "node:test";
import { FORMATS, formatOf, parseExact, stringifyExact } from "#sandbox/petstore/format.ts";

test("integers of any length survive reading and writing, digit by digit", () => {
	for (const text of ["9007199254740993", "9223372036854775807", "-9223372036854775808", "0", `1${"0".repeat(400)}`]) {
		assert.equal(stringifyExact(parseExact(`{"id":[${text}]}`)), `{"id":[${text}]}`);
	}
});

test("anything but a plain integer stays as JSON parses it, also a string of digits", () => {
	assert.deepEqual(parseExact('[1.5,1e3,"9007199254740993",true,null]'), [1.5, 1000, "9007199254740993", true, null]);
	assert.equal(stringifyExact({ a: undefined, b: "1", c: 2 }), '{"b":"1","c":2}');
	assert.equal(stringifyExact(undefined), "");
});

test("broken JSON is a SyntaxError", () => {
	for (const text of ["", "{", "01", '{"a":1,}']) assert.throws(() => parseExact(text), SyntaxError, text);
});

test("the format that is named first is sent, JSON for a wildcard", () => {
	for (const [accept, format] of [
		[undefined, "json"],
		["*/*", "json"],
		["application/*", "json"],
		["application/xml", "xml"],
		["application/xml, application/json;q=0.5", "xml"],
		["text/html, */*;q=0.1", "json"],
		["text/html", undefined],
	] as const) {
		assert.equal(formatOf(accept, FORMATS), format, accept);
	}
	assert.equal(formatOf("application/xml", ["json"]), undefined);
});

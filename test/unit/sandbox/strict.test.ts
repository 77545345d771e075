import { strict as assert } from "node:assert";
import { test } from "node:test";
import { flag, text } from "#base/schema.ts";
import { shape, strictly } from "#sandbox/strict.ts";

test("a shape refuses what it does not know, and null for a field that may be absent", () => {
	const one = shape({ a: flag() }, { b: flag() });
	assert.deepEqual(strictly(one, { a: true }), { a: true });
	assert.deepEqual(strictly(one, { a: true, b: false }), { a: true, b: false });
	assert.throws(() => strictly(one, { a: true, c: 1 }, "x"), /^ClientError: x\.c is not known/);
	assert.throws(() => strictly(one, { a: true, b: null }), /^ClientError: b must be true or false/);
	assert.throws(() => strictly(one, []), /^ClientError: The body must be an object/);
});

test("an inherited property is no known field and satisfies no required one", () => {
	assert.throws(() => strictly(shape({}, {}), JSON.parse('{"__proto__":1}')), /__proto__ is not known/);
	assert.throws(() => strictly(shape({}, {}), { constructor: 1 }), /constructor is not known/);
	assert.throws(() => strictly(shape({ toString: text() }, {}), {}), /toString is missing/);
});

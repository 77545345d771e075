import { strict as assert } from "node:assert";
import { test } from "node:test";
import { flag, integer, list, number, oneOf, record, shape, text, Violation } from "#sandbox/strict.ts";

function refusal(read: () => unknown): string {
	try {
		read();
	} catch (error) {
		assert.ok(error instanceof Violation);
		return error.message;
	}
	return assert.fail("nothing was refused");
}

test("a violation names the place and the rule, and the body where there is no place", () => {
	assert.equal(new Violation("a.b[0]", "must be x").message, "a.b[0] must be x");
	assert.equal(
		refusal(() => record([], "")),
		"The body must be an object",
	);
});

test("nothing is converted: a value of another type is refused by every reader", () => {
	const readers = {
		text: text(),
		number: number(),
		integer: integer(),
		flag,
		list: list(flag),
		record,
		one: oneOf("a"),
	};
	const values = { text: "x", number: 1.5, integer: 2, flag: true, list: [true], record: {}, one: "a" };
	for (const [name, read] of Object.entries(readers)) {
		for (const [other, value] of [...Object.entries(values), ["null", null], ["undefined", undefined]] as const) {
			const fits = other === name || (name === "number" && other === "integer") || (name === "text" && other === "one");
			if (fits) assert.deepEqual(read(value, "x"), value);
			else
				assert.match(
					refusal(() => read(value, "x")),
					/^x must/,
				);
		}
	}
});

test("bounds belong to their range, of numbers as of lengths", () => {
	const unit = number({ min: 0, max: 1 });
	const word = text({ min: 2, max: 3 });
	const items = list(flag, { min: 1, max: 2 });
	assert.deepEqual([unit(0, "x"), unit(1, "x"), word("ab", "x"), word("abc", "x")], [0, 1, "ab", "abc"]);
	for (const [read, value, rule] of [
		[unit, -0.001, /at least 0/],
		[unit, Number.NaN, /must be a number/],
		[integer(), 2 ** 53, /at most 9007199254740991/],
		[word, "a", /must have 2 characters/],
		[word, "abcd", /at most 3/],
		[items, [], /must not be empty/],
		[items, [true, true, true], /at most 2/],
	] as const) {
		assert.match(
			refusal(() => read(value, "x")),
			rule,
		);
	}
});

test("an item is named by its position, a field by its path", () => {
	const read = shape({ a: list(shape({ b: flag }, {})) }, {});
	assert.equal(
		refusal(() => read({ a: [{ b: true }, { b: 1 }] }, "")),
		"a[1].b must be true or false",
	);
	assert.equal(
		refusal(() => read({ a: [{}] }, "root")),
		"root.a[0].b is required",
	);
});

test("a shape refuses every field it does not know and names all of them", () => {
	const read = shape({ a: flag }, { b: flag });
	assert.deepEqual(read({ a: true }, ""), { a: true });
	assert.deepEqual(read({ a: true, b: false }, ""), { a: true, b: false });
	assert.equal(
		refusal(() => read({ a: true, c: 1 }, "x")),
		"x.c is not a known field",
	);
	assert.equal(
		refusal(() => read({ a: true, c: 1, d: 1 }, "x")),
		"x.c, x.d are not known fields",
	);
});

test("names of every object are no known fields, and do not stand in for required ones", () => {
	assert.match(
		refusal(() => shape({}, {})(JSON.parse('{"__proto__":1}'), "")),
		/__proto__ is not a known field/,
	);
	assert.match(
		refusal(() => shape({}, {})({ constructor: 1 }, "")),
		/constructor is not a known field/,
	);
	assert.match(
		refusal(() => shape({ toString: text() }, {})({}, "")),
		/toString is required/,
	);
});

test("one of several numbers is read by its value, and the refusal names them all", () => {
	assert.equal(oneOf(301, 308)(308, "status"), 308);
	assert.throws(() => oneOf(301, 308)("301", "status"), /^Violation: status must be one of 301, 308$/);
});

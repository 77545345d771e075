import { strict as assert } from "node:assert";
import { test } from "node:test";
import { exactOf, jsonDigits, parseExactJson, parseSourceJson, repeatedField } from "#base/exact-json.ts";

test("a whole number beyond 2^53 is its digits, every other value what JSON says", () => {
	assert.deepEqual(
		parseExactJson(
			'{"a":9007199254740993,"b":[-9223372036854775808 ,9223372036854775807],"c":9007199254740991,"d":1234567890123456}',
		),
		{
			a: "9007199254740993",
			b: ["-9223372036854775808", "9223372036854775807"],
			c: 9007199254740991,
			d: 1234567890123456,
		},
	);
	assert.equal(parseExactJson("9007199254740993"), "9007199254740993");
	assert.equal(parseExactJson("0.12345678901234567"), Number("0.12345678901234567"));
	assert.equal(parseExactJson("12345678901234567e-2"), 123456789012345.67);
	assert.equal(parseExactJson("1E+0000000000000000001"), 10);
	assert.equal(parseExactJson("1e-0000000000000000001"), 0.1);
});

test("digits inside of text are text, whatever stands around them", () => {
	const text = { 'a":9007199254740993,"': 'b\\":9007199254740993,', c: "\\", d: "9007199254740993" };
	assert.deepEqual(parseExactJson(JSON.stringify(text)), text);
});

test("broken JSON stays broken", () => {
	for (const text of ["9007199254740993,", "0009007199254740993", "[9007199254740993", "", "+9007199254740993"]) {
		assert.throws(() => parseExactJson(text), SyntaxError, text);
	}
});

test("JSON that is nested too deep for a walk through it is refused as broken", () => {
	for (const number of ["1", "9007199254740993"]) {
		const nested = (depth: number) => `${'{"a":['.repeat(depth)}${number}${"]}".repeat(depth)}`;
		assert.doesNotThrow(() => parseExactJson(nested(50)));
		for (const depth of [51, 100_000]) assert.throws(() => parseExactJson(nested(depth)), SyntaxError);
	}
});

test("digits are written unquoted, and nothing but digits", () => {
	assert.equal(JSON.stringify({ id: jsonDigits("9223372036854775807") }), '{"id":9223372036854775807}');
	for (const text of ["", "1.5", "1,2", '"', "1}", "NaN"]) assert.throws(() => jsonDigits(text), SyntaxError);
});

test("a field that an object has twice is found with its line, at any depth", () => {
	const lines = [
		"{",
		'"id": 1,',
		'"tags": [{"id": 1}, {"id": 2,',
		'"name": "{\\"id\\": 3}",',
		'"n\\u0061me": 4}],',
		'"status": 5}',
	];
	assert.deepEqual(repeatedField(lines.join("\n")), { name: "name", line: 5 });
	assert.deepEqual(repeatedField('{"a":{"b":1},\r\n"a":2}'), { name: "a", line: 2 });
	for (const text of [
		'{"a":{"a":1},"b":[{"a":1},{"a":1}]}',
		'["a","a"]',
		'"a"',
		'{"a":"\\\\","b":"a"}',
		'{"a":"a\\":"}',
	]) {
		assert.equal(repeatedField(text), undefined, text);
	}
});

test("a number is written as it came, and read with all its digits", () => {
	const numbers = [
		"7",
		"9007199254740992",
		"-9223372036854775808",
		"1.50",
		"1e2",
		"-0",
		"0.12345678901234567",
		"1E400",
	];
	for (const text of numbers.flatMap((each) => [each, `{"a": [ ${each},1]}`])) {
		const minified = text.replaceAll(" ", "");
		assert.equal(JSON.stringify(parseSourceJson(text)), minified);
	}
	const read = numbers.map((each) => exactOf(parseSourceJson(each)));
	assert.deepEqual(read.slice(0, 5), [7, "9007199254740992", "-9223372036854775808", 1.5, 100]);
	assert.deepEqual(read.slice(5), [-0, Number("0.12345678901234567"), Number.POSITIVE_INFINITY]);
});

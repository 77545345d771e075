import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { jsonDigits, parseExactJson } from "#base/exact-json.ts";

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
	for (const text of [
		"9007199254740993,",
		"0009007199254740993",
		'"9007199254740993',
		"[9007199254740993",
		"-",
		"",
		'{"a":90071992547409931"}',
		"9007199254740993.",
		"+9007199254740993",
		"{9007199254740993:1}",
		'{"a":1,9007199254740993 : 1}',
	]) {
		assert.throws(() => parseExactJson(text), SyntaxError, text);
	}
});

test("JSON that is nested too deep for a walk through it is refused as broken", () => {
	const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`;
	assert.doesNotThrow(() => parseExactJson(nested(50)));
	for (const depth of [51, 100_000]) assert.throws(() => parseExactJson(nested(depth)), SyntaxError);
});

test("any JSON is parsed as by the runtime's own reviver with sources", () => {
	const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
		Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
			? context?.source
			: value;
	fc.assert(
		fc.property(fc.json({ maxDepth: 4 }), fc.bigInt(), (json, number) => {
			const text = `{"json":${json},"number":${number},"text":${JSON.stringify(json)}}`;
			assert.deepEqual(parseExactJson(text), JSON.parse(text, exact));
		}),
	);
});

test("digits are written unquoted, and nothing but digits", () => {
	assert.equal(JSON.stringify({ id: jsonDigits("9223372036854775807") }), '{"id":9223372036854775807}');
	for (const text of ["", "1.5", "1,2", '"', "1}", "NaN"]) assert.throws(() => jsonDigits(text), SyntaxError);
});

test("text of nothing but escapes or digits does not hang", () => {
	const escapes = "\\".repeat(2_000_000);
	for (const text of [`"${'\\"'.repeat(1_000_000)}`, `"${escapes}1234567890123456`, `[${"1".repeat(1_000_000)}.`]) {
		assert.throws(() => parseExactJson(text), SyntaxError);
	}
});

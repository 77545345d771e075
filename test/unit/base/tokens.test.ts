import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeOf, sizeWords } from "#base/tokens.ts";

test("the size of a text is that of its UTF-8", () => {
	for (const text of ["", "plain", "naïve", "Привет", "漢字", "🔌🔌", "a\u0000b\r\n"]) {
		assert.equal(sizeOf(text).bytes, new TextEncoder().encode(text).length, text);
	}
});

test("the token estimate grows with the text and counts every script", () => {
	assert.equal(sizeOf("").tokens, 0);
	assert.equal(sizeOf("four").tokens, 1);
	assert.equal(sizeOf("x".repeat(4000)).tokens, 1000);
	assert.equal(sizeOf("漢".repeat(1000)).tokens, 1000);
	assert.deepEqual(
		["a", "abcde", "é", "你好", "你好 abc"].map((text) => sizeOf(text).tokens),
		[1, 2, 1, 2, 3],
	);
	const text = "Größe: 大きい 😀 and so on";
	for (let end = 1; end <= text.length; end++) {
		assert.ok(sizeOf(text.slice(0, end)).tokens >= sizeOf(text.slice(0, end - 1)).tokens);
	}
	assert.ok(sizeOf("д".repeat(1000)).tokens > sizeOf("d".repeat(1000)).tokens);
});

test("a size is shown in the largest unit of which there is one", () => {
	const sizes = [0, 1, 999, 1000, 1234, 12_345, 999_499, 999_500, 1_000_000, 3_400_000, 25_000_000];
	assert.deepEqual(sizes.map(sizeWords), [
		"0 bytes",
		"1 byte",
		"999 bytes",
		"1 KB",
		"1.2 KB",
		"12 KB",
		"999 KB",
		"1 MB",
		"1 MB",
		"3.4 MB",
		"25 MB",
	]);
});

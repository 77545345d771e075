import assert from "node:assert/strict";
import { test } from "node:test";
import { imageTypeOf } from "#base/image.ts";

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));

test("a picture is recognized by its first bytes", () => {
	for (const [hex, type] of [
		["89504e470d0a1a0a0000000d", "image/png"],
		["ffd8ffe000104a4649460001", "image/jpeg"],
		["474946383961010001008000", "image/gif"],
		["524946462400000057454250", "image/webp"],
		["0000001c6674797061766966", "image/avif"],
		["424d36000000000000003600", "image/bmp"],
	] as const) {
		assert.equal(imageTypeOf(bytes(hex))?.type, type);
	}
});

test("anything that can hold a script, is truncated or is empty is no picture", () => {
	const texts = ["<svg xmlns='http://www.w3.org/2000/svg'/>", "<html>", "", "\x89PN", "GIF88a", "RIFF1234WAVE"];
	for (const text of texts) assert.equal(imageTypeOf(Buffer.from(text, "latin1")), undefined, text);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { imageSizeOf, imageTypeOf } from "#base/image.ts";

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

test("the size of a picture is in its header; one that is cut off has none", () => {
	for (const [hex, width, height] of [
		["89504e470d0a1a0a0000000d49484452000000050000012c", 5, 300],
		["47494638396105002c01", 5, 300],
		["5249464600000000574542505650385800000000000000000400002b0100", 5, 300],
		["5249464600000000574542505650384c000000002f04c04a00", 5, 300],
		["524946460000000057454250565038200000000000000000000005002c01", 5, 300],
		["ffd8ffe000040000ffc400040000ffc2000b08012c0005", 5, 300],
	] as const) {
		assert.deepEqual(imageSizeOf(bytes(hex)), { width, height }, hex);
		assert.equal(imageSizeOf(bytes(hex.slice(0, -6))), undefined, hex);
	}
	assert.equal(imageSizeOf(bytes("424d36000000000000003600")), undefined);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { drawPicture, KINDS } from "#sandbox/petstore/picture.ts";

/** The rows of pixels in a PNG of one IDAT chunk. */
function rowsOf(png: Buffer): Buffer {
	const at = png.indexOf("IDAT");
	return inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
}

test("every animal is a small PNG of 128 pixels a side, in four colours or more", () => {
	for (const kind of KINDS) {
		const png = drawPicture(kind, 7);
		assert.equal(png.toString("hex", 0, 8), "89504e470d0a1a0a");
		assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [128, 128]);
		assert.ok(png.length < 4096, `${kind}: ${png.length}`);
		const rows = rowsOf(png);
		assert.equal(rows.length, 128 * (128 * 3 + 1));
		const colours = new Set<string>();
		for (let at = 1; at < 128 * 3; at += 3) colours.add(rows.toString("hex", 64 * 385 + at, 64 * 385 + at + 3));
		assert.ok(colours.size >= 4, `${kind}: ${colours.size}`);
	}
});

test("a picture is the same every time, and another for another number or animal", () => {
	assert.deepEqual(drawPicture("dog", 1), drawPicture("dog", 1));
	assert.notDeepEqual(drawPicture("dog", 1), drawPicture("dog", 2));
	assert.notDeepEqual(drawPicture("dog", 1), drawPicture("cat", 1));
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Pictures } from "#sandbox/petstore/pictures.ts";

test("a picture is known by its first bytes, and nothing else is kept", () => {
	const pictures = new Pictures();
	const keep = (head: string) => pictures.keep(7n, Buffer.from(head, "latin1"));
	assert.equal(keep("\x89PNG\r\n\x1a\n..."), "upload-7-1.png");
	assert.equal(keep("\xff\xd8\xff\xe0"), "upload-7-2.jpg");
	assert.equal(keep("GIF89a"), "upload-7-3.gif");
	assert.equal(keep("RIFF....WEBPVP8 "), "upload-7-4.webp");
	for (const head of ["", "<svg/>", "<html>", "PNG", "RIFF....WAVE"]) assert.equal(keep(head), undefined, head);
});

test("the oldest uploads go when there are too many bytes, but never the newest", () => {
	const pictures = new Pictures(20);
	const keep = (bytes: number) =>
		pictures.keep(7n, Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(bytes - 6)])) ?? "";
	const names = [keep(10), keep(10), keep(10)];
	assert.deepEqual(
		names.map((name) => pictures.has(name)),
		[false, true, true],
	);
	const large = keep(100);
	assert.deepEqual(
		[...names, large].map((name) => pictures.has(name)),
		[false, false, false, true],
	);
});

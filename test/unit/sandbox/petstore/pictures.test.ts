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

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { decodeContent } from "#api/http/undici-transport.ts";

/** The text of a body with a content encoding, and whether the body was left before its end. */
async function read(contentEncoding: string, bytes: Uint8Array = Buffer.from("plain")) {
	let left = true;
	async function* body() {
		yield bytes;
		left = false;
	}
	let text = "";
	const error = await (async () => {
		for await (const piece of decodeContent(body(), contentEncoding)) text += Buffer.from(piece).toString();
	})().catch(({ code }: NodeJS.ErrnoException) => code);
	return { text, left, error };
}

test("an unknown encoding is refused, even if it is named like an object property", async () => {
	for (const name of ["constructor", "__proto__", "toString", "compress", "gzip, constructor"]) {
		assert.deepEqual(await read(name), { text: "", left: true, error: "ERR_ENCODING" }, name);
	}
});

test("three encodings in a chain are undone, and more are refused", async () => {
	const thrice = gzipSync(gzipSync(gzipSync("plain")));
	assert.equal((await read("gzip, identity, x-gzip,, GZIP", thrice)).text, "plain");
	assert.equal((await read("gzip, gzip, gzip, gzip", gzipSync(thrice))).error, "ERR_ENCODING");
});

test("names that services send for no encoding leave the body as it is", async () => {
	for (const name of ["", "identity", "none", "utf-8"]) assert.equal((await read(name)).text, "plain", name);
});

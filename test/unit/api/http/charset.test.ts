import { strict as assert } from "node:assert";
import { test } from "node:test";
import { textOfBody } from "#api/http/charset.ts";

const TEXT = "<name>café Ö</name>";
const declared = (encoding: string) => `<?xml version="1.0" encoding='${encoding}' ?>${TEXT}`;

test("a body is read in the charset that it declares", () => {
	for (const [bytes, type] of [
		[Buffer.from(TEXT), "application/xml"],
		[Buffer.from(TEXT, "latin1"), "application/xml; charset=ISO-8859-1"],
		[Buffer.from(TEXT, "latin1"), 'application/json;Charset="latin1"'],
		[Buffer.from(TEXT, "utf16le"), "application/xml;charset=utf-16le"],
		[Buffer.from(TEXT, "utf16le"), "application/xml"],
		[Buffer.from(`\uFEFF${TEXT}`, "utf16le"), "application/xml; charset=utf-16"],
		[Buffer.from(`\uFEFF${TEXT}`, "utf16le").swap16(), "application/xml; charset=utf-16"],
		[Buffer.from(TEXT, "utf16le").swap16(), undefined],
	] as const) {
		assert.equal(textOfBody(bytes, type), TEXT, type);
	}
	for (const [encoding, coding] of [
		["ISO-8859-1", "latin1"],
		["UTF-8", "utf8"],
		["UTF-16", "utf16le"],
	] as const) {
		assert.equal(textOfBody(Buffer.from(declared(encoding), coding), "application/xml"), declared(encoding));
	}
	// What carries a text knows better than the text.
	assert.equal(textOfBody(Buffer.from(declared("ISO-8859-1")), "text/xml; charset=utf-8"), declared("ISO-8859-1"));
});

test("a body in a charset that nobody knows is read as UTF-8, and an empty one is empty", () => {
	assert.equal(textOfBody(Buffer.from(TEXT), "text/plain; charset=klingon"), TEXT);
	assert.equal(textOfBody(Buffer.alloc(0), "text/plain; charset=latin1"), "");
	assert.equal(textOfBody(Buffer.from([0x3c])), "<");
});

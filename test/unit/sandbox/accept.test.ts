import { strict as assert } from "node:assert";
import { test } from "node:test";
import { mediaRangesOf } from "#sandbox/accept.ts";

test("each range has its type in lower case and its quality, which is 1 where none is told", () => {
	assert.deepEqual(mediaRangesOf("Application/XML; charset=utf-8;q=0.5, */*;q=0, text/html"), [
		{ type: "application/xml", quality: 0.5 },
		{ type: "*/*", quality: 0 },
		{ type: "text/html", quality: 1 },
	]);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { FORMATS, formatOf } from "#sandbox/petstore/negotiation.ts";

test("the format that is liked best is sent, JSON where both are liked as much", () => {
	for (const [accept, format] of [
		[undefined, "json"],
		["*/*", "json"],
		["application/*", "json"],
		["application/xml", "xml"],
		["application/json;q=0.5, application/xml", "xml"],
		["application/xml, application/json", "json"],
		["application/json;q=0, */*", "xml"],
		["text/html, */*;q=0.1", "json"],
		["text/html", undefined],
		["application/json;q=0, application/xml;q=0", undefined],
	] as const) {
		assert.equal(formatOf(accept, FORMATS), format, accept);
	}
	assert.equal(formatOf("application/xml", ["json"]), undefined);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { petFromXml, toXml } from "#sandbox/petstore/xml-model.ts";

const body = (value: unknown, root = "Pet") => toXml(root, value).replace(/^<\?xml[^>]*>\n/, "");

test("lists come from the model, whether they hold none, one or many", () => {
	for (const [xml, photoUrls] of [
		["<photoUrls/>", []],
		["<photoUrls><photoUrl>a</photoUrl></photoUrls>", ["a"]],
		["<photoUrls><photoUrl/>\n<photoUrl>b</photoUrl></photoUrls>", ["", "b"]],
	] as const) {
		assert.deepEqual(petFromXml(`<Pet>${xml}</Pet>`), { photoUrls });
	}
});

test("integers are exact, and text stays where a number belongs", () => {
	assert.deepEqual(petFromXml("<Pet><id> 9223372036854775807 </id></Pet>"), { id: 9223372036854775807n });
	assert.deepEqual(petFromXml("<Pet><id>1.5</id><category><id/></category></Pet>"), {
		id: "1.5",
		category: { id: "" },
	});
});

test("a pet has the same value in XML as it was written from", () => {
	const pet = {
		id: 9007199254740993n,
		category: { id: 1n, name: "a & b" },
		name: " <Rex>\r\n ",
		photoUrls: ["a", ""],
		tags: [{ id: 2n, name: "x" }, {}],
		status: "sold",
	};
	assert.deepEqual(petFromXml(toXml("Pet", pet)), pet);
});

test("fields that the model does not have, have twice or have elsewhere are refused", () => {
	for (const xml of [
		"<id><b/></id>",
		"<x/>",
		"<id>1</id><id>2</id>",
		"text",
		"<tags><photoUrl/></tags>",
		"<constructor/>",
	]) {
		assert.throws(() => petFromXml(`<Pet>${xml}</Pet>`), /^Violation: Pet/, xml);
	}
	assert.throws(() => petFromXml("<pet/>"), /must be Pet/);
});

test("lists are wrapped, fields that are undefined are left out, and nothing is an empty element", () => {
	assert.equal(body([{ id: 1n, tags: [] }], "pets"), "<pets><Pet><id>1</id><tags/></Pet></pets>");
	assert.equal(body({ a: undefined, b: null, c: false }), "<Pet><b/><c>false</c></Pet>");
	assert.equal(body(["x"], "ArrayList"), "<ArrayList><item>x</item></ArrayList>");
});

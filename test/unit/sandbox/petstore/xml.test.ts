import { strict as assert } from "node:assert";
import { test } from "node:test";
import { escapeXml } from "#base/xml.ts";
import { petFromXml, toXml } from "#sandbox/petstore/xml.ts";

const nameOf = async (xml: string) => petFromXml(`<Pet><name>${xml}</name></Pet>`);

test("text, CDATA, comments and references are read", async () => {
	const xml =
		'\ufeff<?xml version="1.0" encoding="UTF-8"?><!-- a --><Pet>\n<name>1<!-- x -->2<![CDATA[<&]]>&#65;&#x1F600;</name></Pet>\n';
	assert.deepEqual(await petFromXml(xml), { name: "12<&A😀" });
	assert.deepEqual(await nameOf("1\r\n2\r3&#13;"), { name: "1\n2\n3\r" });
});

const BROKEN: readonly (readonly [why: string, document: string])[] = [
	["nothing", ""],
	["a second root", "<Pet/><Pet/>"],
	["a document type", "<!DOCTYPE Pet><Pet/>"],
	["an external entity", '<!DOCTYPE Pet [<!ENTITY x SYSTEM "file:///etc/passwd">]><Pet>&x;</Pet>'],
	["an unknown entity", "<Pet>&x;</Pet>"],
	["a reference to half a character", "<Pet>&#xD800;</Pet>"],
	["a control character", "<Pet>\u0001</Pet>"],
	["a page of HTML", "<html><head><meta charset=utf-8></head></html>"],
	["33 elements inside one another", `${"<a>".repeat(33)}${"</a>".repeat(33)}`],
];

test("XML that is malformed, or has more than the contract's documents, is refused", async () => {
	for (const [why, document] of BROKEN) {
		await assert.rejects(petFromXml(document), /^ClientError: The XML document /, why);
	}
});

test("no document that is cut off anywhere is taken for a whole one", async () => {
	const document = "<Pet><id>1</id><name>a &amp; b<![CDATA[c]]></name><photoUrls/></Pet>";
	for (let length = 0; length < document.length; length++) {
		await assert.rejects(petFromXml(document.slice(0, length)), /^ClientError/, document.slice(0, length));
	}
});

test("any text that XML can carry survives escaping, and the rest is replaced", async () => {
	for (const text of ["a<b>&\"'c", "\r\n\t ", "😀 العصفور", "]]>", "&amp;"]) {
		assert.deepEqual(await nameOf(escapeXml(text)), { name: text });
	}
	assert.equal(body("a\u0000b\ud800"), "<Pet>a\ufffdb\ufffd</Pet>");
});

const body = (value: unknown, root = "Pet") => toXml(root, value).replace(/^<\?xml[^>]*>\n/, "");

test("lists come from the model, whether they hold none, one or many", async () => {
	for (const [xml, photoUrls] of [
		["<photoUrls/>", []],
		["<photoUrls><photoUrl>a</photoUrl></photoUrls>", ["a"]],
		["<photoUrls><photoUrl/>\n<photoUrl>b</photoUrl></photoUrls>", ["", "b"]],
	] as const) {
		assert.deepEqual(await petFromXml(`<Pet>${xml}</Pet>`), { photoUrls });
	}
});

test("integers are exact, and text stays where a number belongs", async () => {
	assert.deepEqual(await petFromXml("<Pet><id> 9223372036854775807 </id></Pet>"), { id: 9223372036854775807n });
	assert.deepEqual(await petFromXml("<Pet><id>1.5</id><category><id/></category></Pet>"), {
		id: "1.5",
		category: { id: "" },
	});
});

test("a pet has the same value in XML as it was written from", async () => {
	const pet = {
		id: 9007199254740993n,
		category: { id: 1n, name: "a & b" },
		name: " <Rex>\r\n ",
		photoUrls: ["a", ""],
		tags: [{ id: 2n, name: "x" }, {}],
		status: "sold",
	};
	assert.deepEqual(await petFromXml(toXml("Pet", pet)), pet);
});

test("fields that the model does not have, have twice or have elsewhere are refused", async () => {
	for (const xml of [
		"<id><b/></id>",
		"<x/>",
		"<id>1</id><id>2</id>",
		"text",
		"<tags><photoUrl/></tags>",
		"<constructor/>",
	]) {
		await assert.rejects(petFromXml(`<Pet>${xml}</Pet>`), /^ClientError: Pet/, xml);
	}
	await assert.rejects(petFromXml("<pet/>"), /must be Pet/);
});

test("lists are wrapped, undefined fields omitted and null is an empty element", () => {
	assert.equal(body([{ id: 1n, tags: [] }], "pets"), "<pets><Pet><id>1</id><tags/></Pet></pets>");
	assert.equal(body({ a: undefined, b: null, c: false }), "<Pet><b/><c>false</c></Pet>");
	assert.equal(body(["x"], "ArrayList"), "<ArrayList><item>x</item></ArrayList>");
});

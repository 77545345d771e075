import { strict as assert } from "node:assert";
import { test } from "node:test";
import { escapeXml, parseXml, petFromXml, toXml } from "#sandbox/petstore/xml.ts";

const textOf = (document: string) => parseXml(document).text;

test("elements, text, CDATA, comments and references are read", () => {
	const root = parseXml(
		'\ufeff<?xml version="1.0" encoding="UTF-8"?><!-- a --><a>\n<b>1<!-- x -->2</b><c/><d><![CDATA[<&]]>&#65;&#x1F600;</d></a>\n',
	);
	assert.equal(root.name, "a");
	assert.deepEqual(
		root.children.map(({ name, text, children }) => [name, text, children.length]),
		[
			["b", "12", 0],
			["c", "", 0],
			["d", "<&A😀", 0],
		],
	);
	assert.equal(textOf("<a>&lt;&gt;&amp;&apos;&quot;</a>"), "<>&'\"");
	assert.equal(textOf("<a>1\r\n2\r3&#13;</a>"), "1\n2\n3\r");
});

const BROKEN: readonly (readonly [why: string, document: string])[] = [
	["nothing", ""],
	["text only", "pet"],
	["an end too early", "<a><b></b>"],
	["a start that is cut off", "<a"],
	["the wrong end", "<a></b>"],
	["an end too many", "<a></a></a>"],
	["an end that is empty", "<a></a/>"],
	["a second root", "<a/><b/>"],
	["text behind the root", "<a/>x"],
	["a document type", "<!DOCTYPE a><a/>"],
	["an external entity", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
	["an unknown entity", "<a>&x;</a>"],
	["a bare ampersand", "<a>a & b</a>"],
	["a reference to no character", "<a>&#0;</a>"],
	["a reference to half a character", "<a>&#xD800;</a>"],
	["a reference beyond Unicode", "<a>&#x110000;</a>"],
	["a control character", "<a>\u0001</a>"],
	["an attribute", '<a b="c"/>'],
	["a processing instruction", "<?php echo 1 ?><a/>"],
	["another encoding", '<?xml version="1.0" encoding="UTF-16"?><a/>'],
	["a comment that does not end", "<a><!-- </a>"],
	["a comment with two hyphens", "<a><!-- a -- b --></a>"],
	["CDATA that does not end", "<a><![CDATA[</a>"],
	["the end of CDATA in text", "<a>]]></a>"],
	["a page of HTML", "<html><head><meta charset=utf-8></head></html>"],
	["33 elements inside one another", `${"<a>".repeat(33)}${"</a>".repeat(33)}`],
];
for (const [why, document] of BROKEN) {
	test(`${why} is refused`, () => {
		assert.throws(() => parseXml(document), /^Violation: The XML document /);
	});
}

test("no document that is cut off anywhere is taken for a whole one", () => {
	const document = "<Pet><id>1</id><name>a &amp; b<![CDATA[c]]></name><photoUrls/></Pet>";
	for (let length = 0; length < document.length; length++) {
		assert.throws(() => parseXml(document.slice(0, length)), /^Violation/, document.slice(0, length));
	}
});

test("every text that XML can carry comes back through escaping, and what it cannot is replaced", () => {
	for (const text of ["a<b>&\"'c", "\r\n\t ", "😀 العصفور", "]]>", "&amp;"]) {
		assert.equal(textOf(`<a>${escapeXml(text)}</a>`), text);
	}
	assert.equal(escapeXml("a\u0000b\ud800"), "a\ufffdb\ufffd");
});

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

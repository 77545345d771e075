import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { decode } from "#api/petstore/decode.ts";
import {
	apiResponseShape,
	inventoryShape,
	type Pet,
	petShape,
	petsShape,
	petToSendShape,
} from "#api/petstore/model.ts";
import { readXml, valueOfXml } from "#api/petstore/xml-reader.ts";
import { writeXml } from "#api/petstore/xml-writer.ts";
import { ClientError } from "#base/errors.ts";

const petIn = async (text: string): Promise<Pet> => decode(petShape, valueOfXml(petShape, await readXml(text)));
const petsIn = async (text: string) => decode(petsShape, valueOfXml(petsShape, await readXml(text)));
const refused = async (text: string, rule: RegExp) => {
	await assert.rejects(
		readXml(text),
		(error) => error instanceof ClientError && error.code === "malformed" && rule.test(error.message),
	);
};

test("one, many and no items of a list are lists, wrapped or not", async () => {
	const photos = async (inner: string) => (await petIn(`<Pet><id>1</id>${inner}</Pet>`)).photoUrls;
	assert.deepEqual(await photos("<photoUrls><photoUrl>a</photoUrl></photoUrls>"), ["a"]);
	assert.deepEqual(await photos("<photoUrls><photoUrl>a</photoUrl><photoUrl/></photoUrls>"), ["a", ""]);
	assert.deepEqual(await photos("<photoUrls><x>a</x></photoUrls>"), ["a"]);
	assert.deepEqual(await photos("<photoUrls>a</photoUrls><photoUrls>b</photoUrls>"), ["a", "b"]);
	assert.deepEqual(await photos("<photoUrls/>"), []);
	assert.deepEqual(await photos("<photoUrls> \n</photoUrls>"), []);
	assert.equal(await photos(""), undefined);
	const { tags } = await petIn(
		"<Pet><tags><id>1</id></tags><tags><tag><id>2</id></tag><tag><id>3</id></tag></tags></Pet>",
	);
	assert.deepEqual(tags, [{ id: "1" }, { id: "2" }, { id: "3" }]);
});

test("the root of a list and its items may have any name", async () => {
	for (const [root, item] of [
		["pets", "Pet"],
		["ArrayList", "item"],
		["ns2:Pets", "ns2:pet"],
	]) {
		const pets = await petsIn(`<${root}><${item}><id>1</id></${item}><${item}><id>2</id></${item}></${root}>`);
		assert.deepEqual(pets, [{ id: "1" }, { id: "2" }]);
	}
	assert.deepEqual(await petsIn("<Pets/>"), []);
	assert.deepEqual(await petsIn("<xml><id>1</id><name>a</name></xml>"), [{ id: "1", name: "a" }]);
});

test("what is no pet is not taken for one", async () => {
	await assert.rejects(petIn("<ApiResponse><code>1</code></ApiResponse>"), { code: "malformed" });
	await assert.rejects(petsIn("<ApiResponse><code>1</code><type>e</type></ApiResponse>"), {
		code: "malformed",
		field: "[0]",
	});
	await assert.rejects(petIn("<string>hello</string>"), { code: "malformed" });
});

test("text, entities, CDATA, prefixes, comments, a byte order mark and xsi:nil are understood", async () => {
	const pet = await petIn(
		'\uFEFF<?xml version="1.0"?><!-- a --><n:Pet xmlns:n="u"><n:name>a &lt;b&gt; &#x1F436;<![CDATA[<c> & ]]>d</n:name><status xsi:nil="true"/><id> 9223372036854775807 </id></n:Pet>',
	);
	assert.deepEqual(pet, { name: "a <b> \u{1F436}<c> & d", id: "9223372036854775807" });
	const inventory = valueOfXml(inventoryShape, await readXml("<Map><available>3</available><sold>x</sold></Map>"));
	assert.deepEqual(decode(inventoryShape, inventory), { available: 3 });
	const said = valueOfXml(
		apiResponseShape,
		await readXml("<apiResponse><code>404</code><message>No</message></apiResponse>"),
	);
	assert.deepEqual(decode(apiResponseShape, said), { code: 404, message: "No" });
});

test("names out of every object's prototype are only names", async () => {
	const pet = await petIn(
		"<Pet><__proto__><id>5</id></__proto__><constructor>x</constructor><toString/><id>1</id></Pet>",
	);
	assert.deepEqual(pet, { id: "1" });
	assert.equal(Object.getPrototypeOf(pet), Object.prototype);
});

test("a document type is refused, whatever it declares", async () => {
	const bomb = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join("");
	await refused(
		`<?xml version="1.0"?><!DOCTYPE Pet [<!ENTITY l0 "lol">${bomb}]><Pet><name>&l9;</name></Pet>`,
		/document type/,
	);
	await refused('<!DOCTYPE Pet [<!ENTITY x SYSTEM "file:///etc/passwd">]><Pet><name>&x;</name></Pet>', /document type/);
	await refused('<!DOCTYPE Pet SYSTEM "http://127.0.0.1:9/x.dtd"><Pet/>', /document type/);
	await refused("<Pet><name>&x;</name></Pet>", /not well-formed/);
});

test("what is cut off, doubled or no XML at all is refused", async () => {
	for (const text of [
		"<Pet>",
		"<Pet><name>a</Pet>",
		"<Pet/><Pet/>",
		"<Pet/>x",
		"",
		"text",
		"<p>a<br>b</p>",
		"<Pet a=1/>",
	]) {
		await refused(text, /well-formed|empty/);
	}
});

test("depth, length, elements and attributes have a limit", async () => {
	await refused("<a>".repeat(33) + "</a>".repeat(33), /too deeply/);
	await refused(`<a>${"<b/>".repeat(500_001)}</a>`, /too many elements/);
	await refused(`<a ${Array.from({ length: 10_001 }, (_, at) => `b${at}=""`).join(" ")}/>`, /too many attributes/);
	await refused(`<a>${" ".repeat(16 * 1024 * 1024)}</a>`, /too long/);
});

test("a pet survives writing and reading, whatever characters XML can carry are in it", async () => {
	const text = fc
		.string({ unit: "binary", maxLength: 20 })
		.filter((one) => !/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(one));
	const id = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String);
	const named = fc.record({ id, name: text }, { requiredKeys: [] });
	const pet = fc.record(
		{ id, category: named, name: text, photoUrls: fc.array(text), tags: fc.array(named), status: fc.constant("sold") },
		{ requiredKeys: ["name", "photoUrls"] },
	);
	await fc.assert(
		fc.asyncProperty(pet, async (given) => {
			assert.deepEqual(await petIn(writeXml(petToSendShape, given)), structuredClone(given));
		}),
	);
});

test("a character that XML cannot carry is an invalid argument that names its field", () => {
	for (const bad of ["\0", "\x0B", "\uFFFE", "\uD800"]) {
		const given = { name: "a", photoUrls: ["b", `c${bad}`] };
		assert.throws(() => writeXml(petToSendShape, given), { code: "invalid", field: "photoUrls[1]" });
	}
});

test("fuzzed input is read or refused, and never anything else", async () => {
	const piece = fc.constantFrom(
		..."< > & ; / ! ? ' \" = [ ] - <Pet> </Pet> <id> </id> <![CDATA[ ]]> <!-- --> <?xml ?> <!DOCTYPE <!ENTITY &amp; &#0; &#x110000; xmlns: a:b \0 \uD800 1".split(
			" ",
		),
		" ",
		"\n",
	);
	const wild = fc
		.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 60 })
		.map((all) => all.join(""));
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(
				wild,
				wild.map((inner) => `<Pet>${inner}</Pet>`),
			),
			async (text) => {
				try {
					decode(petShape, valueOfXml(petShape, await readXml(text)));
				} catch (error) {
					assert.ok(error instanceof ClientError && error.code === "malformed", String(error));
				}
			},
		),
		{ numRuns: 3_000 },
	);
});

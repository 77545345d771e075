import { strict as assert } from "node:assert";
import { once } from "node:events";
import { test } from "node:test";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { decodePetstoreReply } from "#api/petstore/decode.ts";
import {
	apiResponseShape,
	inventoryShape,
	type Pet,
	petShape,
	petsShape,
	petToSendShape,
} from "#api/petstore/model.ts";
import { writeXml } from "#api/petstore/request.ts";
import type { AnyShape } from "#api/petstore/shape.ts";
import { readReplyXml, valueOfXml } from "#api/petstore/xml-reader.ts";
import { ClientError } from "#base/errors.ts";
import { anyCharacter } from "../../../support/any-character.ts";
import type { XmlOutcome } from "../../../support/xml-worker.ts";

const petIn = async (text: string): Promise<Pet> =>
	decodePetstoreReply(petShape, valueOfXml(petShape, await readReplyXml(text)));
const petsIn = async (text: string) => decodePetstoreReply(petsShape, valueOfXml(petsShape, await readReplyXml(text)));
const refused = async (text: string, rule: RegExp) => {
	await assert.rejects(
		readReplyXml(text),
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

test("XML of another object is not decoded as a pet", async () => {
	await assert.rejects(petIn("<ApiResponse><code>1</code></ApiResponse>"), { code: "malformed" });
	await assert.rejects(petsIn("<ApiResponse><code>1</code><type>e</type></ApiResponse>"), {
		code: "malformed",
		field: "[0]",
	});
	await assert.rejects(petIn("<string>hello</string>"), { code: "malformed" });
});

test("text, entities, CDATA, prefixes, comments, a BOM and xsi:nil are understood", async () => {
	const pet = await petIn(
		'\uFEFF<?xml version="1.0"?><!-- a --><n:Pet xmlns:n="u"><n:name>a &lt;b&gt; &#x1F436;<![CDATA[<c> & ]]>d</n:name><status xsi:nil="1"/><category xsi:nil="true"/><id> 9223372036854775807 </id></n:Pet>',
	);
	assert.deepEqual(pet, { name: "a <b> \u{1F436}<c> & d", id: "9223372036854775807" });
	const inventory = valueOfXml(
		inventoryShape,
		await readReplyXml("<Map><available>3</available><sold> 4 </sold></Map>"),
	);
	assert.deepEqual(decodePetstoreReply(inventoryShape, inventory), { available: 3, sold: 4 });
	const said = valueOfXml(
		apiResponseShape,
		await readReplyXml("<apiResponse><code>404</code><message>No</message></apiResponse>"),
	);
	assert.deepEqual(decodePetstoreReply(apiResponseShape, said), { code: 404, message: "No" });
});

test("words are no list and no inventory, and nothing at all is an empty one", async () => {
	const error = '<?xml version="1.0"?><error>database down</error>';
	const read = async (shape: AnyShape, text: string) =>
		decodePetstoreReply(shape, valueOfXml(shape, await readReplyXml(text)));
	await assert.rejects(read(petsShape, error), { code: "malformed", message: /is not a list/ });
	await assert.rejects(read(inventoryShape, error), { code: "malformed", message: /is not an inventory/ });
	assert.deepEqual([await read(petsShape, "<pets>\n</pets>"), await read(inventoryShape, "<Map/>")], [[], {}]);
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

test("XML that is truncated, doubled or malformed is refused", async () => {
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

test("half a surrogate pair is refused wherever it stands", async () => {
	for (const text of ["<!ENTITY\ud800", "<a>\ud800</a>", "<a>\udc00</a>"]) await refused(text, /half a character/);
});

test("depth, length, elements and attributes have a limit", async () => {
	await refused("<a>".repeat(33) + "</a>".repeat(33), /too deeply/);
	await refused(`<a>${"<b/>".repeat(500_001)}</a>`, /too many elements/);
	await refused(`<a ${Array.from({ length: 10_001 }, (_, at) => `b${at}=""`).join(" ")}/>`, /too many attributes/);
	await refused(`<a>${" ".repeat(16 * 1024 * 1024)}</a>`, /too long/);
});

test("a pet survives writing and reading, whatever characters XML can carry are in it", async () => {
	const text = fc
		.string({ unit: anyCharacter, maxLength: 20 })
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

/** Texts that made one reader or another run for minutes, or take all memory. */
const HEAVY: readonly string[] = [
	`<!DOCTYPE a [${Array.from({ length: 30 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join("")}]><a>&l30;</a>`,
	`<Pet><name>${"&lt;".repeat(500_000)}</name></Pet>`,
	`<Pet><name>${"&".repeat(1_000_000)}</name></Pet>`,
	`<Pet><name>&${"a".repeat(4_000_000)};</name></Pet>`,
	`<Pet><name>&#${"0".repeat(4_000_000)}65;</name></Pet>`,
	`<Pet>${"<![CDATA[".repeat(500_000)}</Pet>`,
	`<Pet>${"<!--".repeat(1_000_000)}</Pet>`,
	`<Pet>${"<?a ".repeat(500_000)}</Pet>`,
	`<Pet>${"]]>".repeat(1_000_000)}</Pet>`,
	"<".repeat(4_000_000),
	`<${"a".repeat(8_000_000)}>`,
	`<a ${"b".repeat(8_000_000)}="">`,
	`<a b="${"c ".repeat(4_000_000)}"/>`,
	`<a b='${"<".repeat(1_000_000)}'/>`,
	`<a${" ".repeat(8_000_000)}`,
	`<a xmlns:${"b".repeat(1_000_000)}="c"/>`,
	"<a>".repeat(2_000_000),
	`<Pet>${"<tags>".repeat(20)}${"<id>1</id>".repeat(20_000)}${"</tags>".repeat(20)}</Pet>`,
	`<Pet>${"<photoUrls>a</photoUrls>".repeat(100_000)}</Pet>`,
	`<Pet>${"<name>a</name>".repeat(150_000)}</Pet>`,
];

/** Far more than any of it takes, so that only what has no end is found, on any machine. */
const BOUNDS = { heapMb: 384, ms: 60_000 };

test("any input is read or refused within bounds of time and memory", async () => {
	const piece = fc.constantFrom(
		..."< > & ; / ! ? ' \" = [ ] - <Pet> </Pet> <id> </id> <![CDATA[ ]]> <!-- --> <?xml ?> <!DOCTYPE <!ENTITY &amp; &#0; &#x110000; xmlns: a:b \0 \uD800 1".split(
			" ",
		),
		" ",
		"\n",
	);
	const wild = fc
		.array(fc.oneof(piece, fc.string({ unit: anyCharacter, maxLength: 5 })), { maxLength: 60 })
		.map((all) => all.join(""));
	const inPet = wild.map((inner) => `<Pet>${inner}</Pet>`);
	// A reader that did not come to an end could not be stopped in this thread, nor its memory be counted.
	const worker = new Worker(new URL("../../../support/xml-worker.ts", import.meta.url), {
		resourceLimits: { maxOldGenerationSizeMb: BOUNDS.heapMb },
	});
	const ended = new AbortController();
	worker.once("error", (error) => ended.abort(error));
	const late = setTimeout(() => ended.abort(new Error("it has not come to an end")), BOUNDS.ms);
	const outcomeOf = async (text: string): Promise<XmlOutcome> => {
		worker.postMessage(text);
		const [outcome]: XmlOutcome[] = await once(worker, "message", { signal: ended.signal });
		return outcome ?? assert.fail("an outcome");
	};
	try {
		const seed = Date.now();
		const tally = { read: 0, refused: 0 };
		for (const text of [...HEAVY, ...fc.sample(fc.oneof(wild, inPet), { numRuns: 3_000, seed })]) {
			const outcome = await outcomeOf(text).catch((error: unknown) =>
				assert.fail(`${JSON.stringify(text.slice(0, 500))} of ${text.length}, seed ${seed}: ${inspect(error)}`),
			);
			if (typeof outcome === "object")
				assert.fail(`${JSON.stringify(text.slice(0, 500))}, seed ${seed}: ${outcome.broke}`);
			tally[outcome] += 1;
		}
		assert.ok(tally.refused > 100 && tally.read > 0, inspect(tally));
	} finally {
		clearTimeout(late);
		await worker.terminate();
	}
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { redactEcho } from "#api/http/echo.ts";
import { REDACTED, Redactor } from "#base/redaction.ts";

const cleaner = (secret: string) => {
	const redactor = new Redactor();
	redactor.register(secret);
	return (text: string) => redactEcho(text, (part) => redactor.redact(part));
};

/** Ways in which a service writes what it repeats. */
const WAYS: readonly ((text: string) => string)[] = [
	encodeURIComponent,
	(text) => new URLSearchParams({ a: text }).toString(),
	(text) => JSON.stringify({ password: text }),
	(text) => Buffer.from(text).toString("base64"),
	(text) => Buffer.from(text).toString("base64url"),
	(text) => text.replace(/[^\w ]/gu, (mark) => `&#${mark.codePointAt(0)};`),
	(text) => text.replace(/[^\w ]/gu, (mark) => `&#x${mark.codePointAt(0)?.toString(16)};`),
];

/** A text as a person could read a secret out of it, with nothing but patience. */
function readable(text: string): readonly string[] {
	let all = [text];
	const decodings: readonly ((from: string) => string)[] = [
		(from) => from.replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString()),
		(from) => from.replaceAll("+", " "),
		(from) => from.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
		(from) => from.replace(/&#x([\da-f]+);/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))),
		(from) => from.replace(/\\(["\\])/g, "$1"),
		(from) => from.replace(/[\w+/-]{8,}/g, (run) => Buffer.from(run, "base64").toString()),
	];
	for (let depth = 0; depth < 3; depth++)
		all = [...new Set(all.flatMap((each) => [each, ...decodings.map((way) => way(each))]))];
	return all;
}

test("a secret that a service repeats is gone, however it is written, and written once more", () => {
	const secrets = fc
		.string({ minLength: 6, maxLength: 24, unit: fc.constantFrom(..."ab1&'\"<%+/= é") })
		.map((text) => `S${text}7`);
	const ways = fc.array(fc.constantFrom(...WAYS), { maxLength: 2 });
	fc.assert(
		fc.property(secrets, ways, (secret, order) => {
			const echoed = order.reduce((text, way) => way(text), `user:${secret}`);
			const clean = cleaner(secret)(`You sent: ${echoed}`);
			for (const each of readable(clean)) assert.ok(!each.includes(secret), `${echoed} -> ${clean}`);
		}),
		{ numRuns: 400, seed: 7 },
	);
});

const marked = "it's (ö) Pass/w+rd & _more_";
const code = (mark: string) => mark.charCodeAt(0).toString(16);
const marks = (text: string, written: (mark: string) => string) => text.replace(/[^a-z ]/gi, written);
const bytes = (text: string, written: (byte: string) => string) =>
	marks(text, (mark) => [...Buffer.from(mark)].map((byte) => written(byte.toString(16))).join(""));
const rarely: ReadonlyArray<readonly [string, string]> = [
	["with entities by name, as of Java", "it&apos;s (&ouml;) Pass/w+rd &amp; _more_"],
	[
		"with every mark as an entity by name",
		"it&apos;s &lpar;&ouml;&rpar; Pass&sol;w&plus;rd &amp; &lowbar;more&lowbar;",
	],
	["with numbers of entities filled up with zeros", marks(marked, (mark) => `&#x${code(mark).padStart(8, "0")};`)],
	["with hexadecimal entities in capitals", marks(marked, (mark) => `&#X${code(mark).toUpperCase()};`)],
	["escaped as in scripts", marks(marked, (mark) => `\\x${code(mark)}`)],
	["escaped as in newer scripts", marks(marked, (mark) => `\\u{${code(mark)}}`)],
	["as bytes of Python", bytes(marked, (byte) => `\\x${byte}`)],
	["with a backslash before each mark", marked.replaceAll(/[!-/_]/g, "\\$&")],
	["URL-encoded in every character", Buffer.from(marked).toString("hex").replaceAll(/../g, "%$&")],
	["URL-encoded in Latin-1 in every character", Buffer.from(marked, "latin1").toString("hex").replaceAll(/../g, "%$&")],
	[
		"URL-encoded as scripts once did",
		marks(marked, (mark) => `%u00${code(mark).toUpperCase()}`).replaceAll(" ", "%20"),
	],
	["URL-encoded three times in lower case", thrice(marked)],
];
for (const [name, written] of rarely) {
	test(`a secret that a service repeats ${name} is gone`, () => {
		assert.equal(cleaner(marked)(`No ${written}.`), `No ${REDACTED}.`);
	});
}

function thrice(text: string): string {
	const once = encodeURIComponent(text).replaceAll(/%../g, (each) => each.toLowerCase());
	return once.replaceAll("%", "%2525");
}

test("what holds no secret stays to the letter", () => {
	for (const text of ["a %26 b &amp; c \\u0041", Buffer.from("some other body").toString("base64"), "100% &#0;"]) {
		assert.equal(cleaner("hidden-word")(text), text);
	}
});

test("a page beside the secret is shown as it reads, and one in base64 is left out whole", () => {
	const url = encodeURIComponent("/login?password=pass&w0rd-long");
	assert.equal(
		cleaner("pass&w0rd-long")(`to ?next=${encodeURIComponent(encodeURIComponent(url))}`).includes("w0rd"),
		false,
	);
	const body = Buffer.from('{"password":"a\\"b-long-word"}').toString("base64");
	assert.equal(cleaner('a"b-long-word')(`echo ${body}`), `echo ${REDACTED}`);
});

test("a long text in base64 is gone over in a moment's work, however deep it is", () => {
	let text = "x".repeat(20_000);
	for (let depth = 0; depth < 4; depth++) text = Buffer.from(text).toString("base64");
	let looks = 0;
	redactEcho(text, (part) => {
		looks += part.length;
		return part;
	});
	assert.ok(looks < 100 * text.length, `${looks}`);
});

test("a text of many encodings is gone over as often as it has different readings", () => {
	const base64 = Buffer.from("hello+there+world").toString("base64");
	const text = `a+b%2520c+&amp;amp;+\\\\u0041+${base64} `.repeat(20);
	let looks = 0;
	redactEcho(text, (part) => {
		looks += part.length;
		return part;
	});
	assert.ok(looks < 25 * text.length, `${looks / text.length}`);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { REDACTED, Redactor } from "#base/redaction.ts";

const SECRET = 'key/with+odd="chars"& é漢🔌';

function redactorOf(...secrets: string[]): Redactor {
	const redactor = new Redactor();
	for (const secret of secrets) redactor.register(secret);
	return redactor;
}

test("text without secrets comes back as it is", () => {
	assert.equal(redactorOf("hidden-value").redact("an ordinary line"), "an ordinary line");
	assert.equal(new Redactor().redact("anything"), "anything");
});

const escapedWhole = (text: string) =>
	text.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const utf8 = Buffer.from(SECRET);
const forms: ReadonlyArray<readonly [string, string]> = [
	["as it is", SECRET],
	["in base64", utf8.toString("base64")],
	["in base64 without padding", utf8.toString("base64").replace(/=+$/, "")],
	["in base64url", utf8.toString("base64url")],
	["URL-encoded", encodeURIComponent(SECRET)],
	["in a form body", new URLSearchParams({ a: SECRET }).toString().slice(2)],
	["in JSON", JSON.stringify(SECRET).slice(1, -1)],
	["in a Basic header beside a user", Buffer.from(`user:${SECRET}`).toString("base64")],
	["in JSON within JSON", JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
	["in JSON with slashes escaped", JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")],
	["in hexadecimal", utf8.toString("hex")],
	["in hexadecimal of upper case", utf8.toString("hex").toUpperCase()],
	["escaped for HTML", SECRET.replaceAll("&", "&amp;").replaceAll('"', "&quot;")],
	["in HTML as codes", Array.from(SECRET, (one) => `&#${one.codePointAt(0)};`).join("")],
	["in HTML as hexadecimal codes", Array.from(SECRET, (one) => `&#x${one.codePointAt(0)?.toString(16)};`).join("")],
	["in HTML as codes with zeros in front", Array.from(SECRET, (one) => `&#0${one.codePointAt(0)};`).join("")],
	["with one character as a code of HTML", SECRET.replace("w", "&#119;")],
	["with one character by its name in HTML", SECRET.replace("/", "&sol;")],
	["with one character escaped in JSON", SECRET.replace("w", "\\u0077").replaceAll('"', '\\"')],
	["all escaped in JSON", escapedWhole(SECRET)],
	["all escaped in JSON within JSON", JSON.stringify(escapedWhole(SECRET)).slice(1, -1)],
	["all URL-encoded", utf8.toString("hex").replaceAll(/../g, "%$&")],
	["URL-encoded twice", encodeURIComponent(encodeURIComponent(SECRET))],
	["in hexadecimal with colons", utf8.toString("hex").replaceAll(/..(?!$)/g, "$&:")],
	[
		"in hexadecimal with spaces, of upper case",
		utf8
			.toString("hex")
			.toUpperCase()
			.replaceAll(/..(?!$)/g, "$& "),
	],
	["in hexadecimal of mixed case", utf8.toString("hex").replaceAll(/.b|c./g, (pair) => pair.toUpperCase())],
	["escaped and with a zero-width space", encodeURIComponent(SECRET.replace("odd", "o\u200bdd"))],
	["with a zero-width space", SECRET.replace("odd", "o\u200bdd")],
	["with joiners, a soft hyphen and a variation selector", SECRET.replace("odd", "o\u200d\u00add\ufe0fd")],
	["with a control character", SECRET.replace("odd", "o\u0001dd")],
];
for (const [name, form] of forms) {
	test(`a secret ${name} is removed`, () => {
		const redacted = redactorOf(SECRET).redact(`before ${form} after`);
		assert.ok(!redacted.includes(form), redacted);
		assert.match(redacted, /^before .*\[redacted\].* after$/s);
	});
}

test("a secret in a URL query with an encoded apostrophe is redacted whole", () => {
	const marked = "it's (a) *word*!";
	const url = new URL("http://store.invalid/login");
	url.search = `?password=${encodeURIComponent(marked)}`;
	assert.match(url.search, /%27/);
	assert.equal(redactorOf(marked).redact(`at ${url.search}.`), `at ?password=${REDACTED}.`);
});

test("a base64 of the secret at any offset within a longer text is removed", () => {
	const secret = "sandbox-key-0123456789";
	for (const prefix of ["", "u", "us", "use", "user:"]) {
		const encoded = Buffer.from(`${prefix}${secret}:tail`).toString("base64");
		const redacted = redactorOf(secret).redact(encoded);
		const visible = Buffer.from(redacted.replaceAll(REDACTED, ""), "base64").toString("latin1");
		assert.ok(!visible.includes(secret.slice(2, -2)), `${prefix}: ${redacted}`);
	}
});

test("a percent-encoding in lower case is removed as well", () => {
	const encoded = encodeURIComponent("a/b+c=d/e").replaceAll(/%../g, (code) => code.toLowerCase());
	assert.equal(redactorOf("a/b+c=d/e").redact(encoded), REDACTED);
});

test("each part of a JSON Web Token is removed, also alone", () => {
	const [header, payload, signature] = ["eyJhbGciOiJSUzI1NiJ9", "eyJpc3MiOiIxMjMifQ", "c2lnbmF0dXJlLWJ5dGVz"];
	const redactor = redactorOf(`${header}.${payload}.${signature}`);
	assert.equal(redactor.redact(`${header}.${payload}.${signature}`), REDACTED);
	assert.equal(redactor.redact(`sig=${signature}`), `sig=${REDACTED}`);
	assert.equal(redactor.redact(`payload ${payload}`), `payload ${REDACTED}`);
});

test("a secret that was entered with space around it is removed without it too", () => {
	assert.equal(redactorOf(" padded-secret\n").redact("[padded-secret]"), `[${REDACTED}]`);
});

test("a line of a secret with several lines is removed when it surfaces alone", () => {
	const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
	const redactor = redactorOf(`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);
	assert.equal(redactor.redact(`bad line: ${body}`), `bad line: ${REDACTED}`);
});

test("each secret in a text is removed once, the longest of those that begin together", () => {
	const secret = fc.string({ minLength: 4, maxLength: 9, unit: fc.constantFrom(..."ab.") });
	const text = fc.string({ maxLength: 60, unit: fc.constantFrom(..."ab.") });
	fc.assert(
		fc.property(fc.array(secret, { maxLength: 4 }), text, (secrets, written) => {
			const longestFirst = secrets.toSorted((a, b) => b.length - a.length).map((each) => each.replaceAll(".", "\\."));
			const pattern = new RegExp(secrets.length === 0 ? "(?!)" : longestFirst.join("|"), "g");
			assert.equal(redactorOf(...secrets).redact(written), written.replaceAll(pattern, REDACTED));
		}),
		{ numRuns: 500, seed: 7 },
	);
});

test("characters with a meaning in patterns are only characters", () => {
	const redactor = redactorOf("a.*b", "^$[x]{2}(y|z)?+\\");
	assert.equal(redactor.redact("aXXb a.*b ^$[x]{2}(y|z)?+\\"), `aXXb ${REDACTED} ${REDACTED}`);
});

test("a value too short to be a secret blanks out no words", () => {
	assert.equal(redactorOf("abc", "", " ").redact("abc abc"), "abc abc");
});

test("a secret is known until the last of its registrations is disposed", () => {
	const redactor = new Redactor();
	const first = redactor.register("shared-secret");
	const second = redactor.register("shared-secret");
	first.dispose();
	first.dispose();
	assert.equal(redactor.redact("shared-secret"), REDACTED);
	second.dispose();
	assert.equal(redactor.redact("shared-secret"), "shared-secret");
});

test("the generation changes with a secret that was not known, and with nothing else", () => {
	const redactor = new Redactor();
	const before = redactor.generation;
	const first = redactor.register("shared-secret");
	const after = redactor.generation;
	assert.notEqual(after, before);
	redactor.register("shared-secret");
	first.dispose();
	redactor.redact("shared-secret");
	assert.equal(redactor.generation, after);
});

test("a lone surrogate in a secret or in a text is no error", () => {
	const redactor = redactorOf("lone\ud800surrogate");
	assert.equal(redactor.redact("x lone\ud800surrogate"), `x ${REDACTED}`);
});

test("plain JSON is redacted in every text, however deep, and keeps its shape", () => {
	const redactor = new Redactor();
	redactor.register("secret-key-1");
	const value = { id: "secret-key-1", n: 1, none: null, list: ["x secret-key-1", { deep: "secret-key-1!" }] };
	assert.deepEqual(redactor.leaving(value), {
		id: REDACTED,
		n: 1,
		none: null,
		list: [`x ${REDACTED}`, { deep: `${REDACTED}!` }],
	});
});

test("names of fields are redacted as their values are", () => {
	assert.deepEqual(redactorOf("secret-key-in-use").leaving({ "secret-key-in-use": 3 }), { [REDACTED]: 3 });
});

test("invisible characters stay in a text that hides no secret", () => {
	const text = "\u{1f469}\u200d\u{1f52c} a\u200bb \ufeff";
	assert.equal(redactorOf("secret-key-in-use").leaving(text), text);
});

test("a text of a service is stored redacted, printable, on one line and short", () => {
	const redactor = redactorOf("secret-key-in-use");
	assert.equal(redactor.storable(" ada\u0000\n\u202elovelace "), "ada lovelace");
	assert.equal(redactor.storable("as secret-\u200bkey-in-use"), `as ${REDACTED}`);
	assert.equal(redactor.storable(`${" ".repeat(2_000_000)}secret-key-in-use`), REDACTED);
	assert.equal(redactor.storable("a".repeat(2_000_000)).length, 100);
});

test("prose keeps ordinary words that serve as a key, and loses issued keys", () => {
	const redactor = new Redactor();
	for (const word of ["user", "ollama", "lm-studio"]) redactor.register(word);
	redactor.register("sk-0123456789abcdef");
	const text = "a user of ollama in lm-studio with sk-0123456789abcdef";
	assert.equal(redactor.leaving(text), `a user of ollama in lm-studio with ${REDACTED}`);
	assert.deepEqual(redactor.leaving({ role: "user", text }), { role: "user", text: redactor.leaving(text) });
	assert.equal(redactor.redact("a user of ollama"), `a ${REDACTED} of ${REDACTED}`);
});

test("escapes without a secret stay, those that may begin one are held back", () => {
	const redactor = redactorOf("sk-a-long-secret");
	const text = "a%20b &amp;lt; \\u0041 \\\\n &#65; &#99999999; AA:BB 12 34 56 78 %ff";
	assert.equal(redactor.leaving(text), text);
	for (const begun of [
		"sk&#45;a-lo",
		"sk-a%2",
		"sk-a-lo&#1",
		"\\u0073\\u006b\\u002d\\u0061",
		"%73%6B%2D%61%2D%6",
		"73:6B:2D:61:2D:6",
	]) {
		assert.ok(redactor.heldBack(`it is ${begun}`) >= begun.length, begun);
	}
	assert.equal(redactor.heldBack("a%20b &amp; c"), 0);
});

test("only the end of a growing text that may begin a secret is held back", () => {
	const redactor = new Redactor();
	redactor.register("sk-a-long-secret");
	assert.equal(redactor.heldBack("the key is sk-a-long"), "sk-a-long".length);
	assert.equal(redactor.heldBack("the key is sk-a-long-secret"), 0);
	assert.equal(redactor.heldBack("the key is sk-a"), 0);
	assert.equal(redactor.heldBack("the key is sk-a-lung"), 0);
	assert.equal(redactor.heldBack(""), 0);
	assert.equal(new Redactor().heldBack("sk-a-long"), 0);
});

test("a whole secret begins no other, and one that may continue is held back whole", () => {
	const redactor = new Redactor();
	redactor.register("long-secret-of-a-long-se");
	assert.equal(redactor.heldBack("it is long-secret-of-a-long-se"), 0);
	assert.equal(redactor.heldBack(`${"it is ".repeat(20)}long-secret-of-a-long-se`), 0);
	redactor.register("long-secret-of-a-long-sea");
	assert.equal(redactor.heldBack("it is long-secret-of-a-long-se"), "long-secret-of-a-long-se".length);
	assert.equal(redactor.heldBack("it is long-secret-of-a-long-se."), 0);
});

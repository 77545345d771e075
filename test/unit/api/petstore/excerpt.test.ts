import { strict as assert } from "node:assert";
import { test } from "node:test";
import { redactEcho } from "#api/http/echo.ts";
import { excerptOf } from "#api/petstore/excerpt.ts";
import { Redactor } from "#base/redaction.ts";

const excerpt = (body: string) => excerptOf(body, (text) => text);

const SECRET = "hidden";

/** Bodies that tell a password which nobody has sent, and that nothing else knows to be one. */
const TELLING = [
	"<User><username>ada</username><password>hidden</password></User>",
	"<User><username>ada</username><Password xml:lang='en'>\n hidden &amp; more hidden</Password><a/></User>",
	"<u:User><u:password>hidden</u:password ></u:User>",
	"<User><password><![CDATA[<b>hidden</b>]]></password></User>",
	"<User><username>ada</username><password>hidden",
	'<User password="hidden">ada</User>',
	'{"username":"ada","password":"hidden","userStatus":NaN}',
	'{"username":"ada", "password" : "hid\\"den, hidden words", NaN}',
	'{"message":"{\\"username\\":\\"ada\\",\\"password\\":\\"hidden words\\"}"}',
	"{'username': 'ada', 'password': 'hidden words'}",
	'{"username":"ada","password":"hidden wor',
	"username=ada&password=hidden&x=1",
	"No user with password: hidden",
	"<p>password=hidden</p>",
	'{"userPassword":"hidden",',
	"refused: password=stored words hidden, user=ada",
	"password: must be hidden",
	"password: is 7 hidden characters long",
	"password: has at least 8 characters. It was hidden",
	'{"errors":{"password":["must have 8 characters","hidden"]}}',
	"<User><password>is hidden</password></User>",
	"refused (password: two words, hidden)".replace(",", ""),
	'[{"field":"password","rejectedValue":"hidden"}]',
	'{"errors":[{"loc":["body","password"],"input":"hidden","msg":"too short"}]}',
	"Field error on field 'password': rejected value [hidden words]; codes",
];

test("a password that a service tells is in no excerpt, in whatever form it comes", () => {
	for (const body of TELLING) assert.ok(!excerpt(body).includes(SECRET), `${body} -> ${excerpt(body)}`);
});

test("a secret with a tag in it is not shown in part where markup repeats it unescaped", () => {
	const redactor = new Redactor();
	redactor.register("Hunter<2>rocks");
	const redact = (text: string) => redactEcho(text, (part) => redactor.redact(part));
	for (const body of ["<e><message>No user Hunter<2>rocks</message></e>", "<p>No user Hunter<2>rocks here</p>"]) {
		const shown = excerptOf(body, redact);
		assert.match(shown, /^No user \[redacted\]/);
		assert.doesNotMatch(shown, /Hunter|rocks/);
	}
	const nested = "<e><password>&lt;/password&gt;hidden</password><message>It is not Hunter<2>rocks</message></e>";
	assert.equal(excerptOf(nested, redact), "It is not [redacted]");
});

test("a long text is cleaned as far as it can be shown, and a secret that is cut in two is not shown by half", () => {
	const secret = "correct horse & battery+staple";
	const redactor = new Redactor();
	redactor.register(secret);
	let looked = 0;
	const redact = (text: string) =>
		redactEcho(text, (part) => {
			looked += part.length;
			return redactor.redact(part);
		});
	const base64 = (text: string) => Buffer.from(text).toString("base64");
	const ways = [String, encodeURIComponent, base64, (text: string) => base64(base64(text)), JSON.stringify];
	for (const way of ways) {
		const written = way(secret);
		for (let end = 1; end < written.length; end++) {
			// All before the secret becomes one word, so that it is where it can be seen.
			const blob = base64(base64(`${secret} ${"x".repeat(6144)}`)).slice(0, 6143 - end);
			const shown = excerptOf(`${blob} ${written} ${"and so on ".repeat(6000)}`, redact);
			assert.ok(!shown.includes(written.slice(0, 6)), `${end}: ${shown}`);
		}
	}
	const token = "s3cretive-".repeat(600);
	redactor.register(token);
	assert.equal(
		excerptOf(`Refused ${"word ".repeat(40)} key=${token}${" and so on".repeat(99)}`, redact).includes("s3"),
		false,
	);
	looked = 0;
	const mixed = `a+b%2520c+&amp;amp;+\\\\u0041+${base64("hello+there+world")} `;
	assert.match(excerptOf(`No such pet. ${mixed.repeat(64_000 / mixed.length)}`, redact), /^No such pet\. a/);
	assert.ok(looked < 500_000, `${looked}`);
});

test("of long markup no more is cleaned than of a long text, and a secret that is cut in two is not shown by half", () => {
	const secret = "correct horse & battery+staple";
	const redactor = new Redactor();
	redactor.register(secret);
	let looked = 0;
	const redact = (text: string) =>
		redactEcho(text, (part) => {
			looked += part.length;
			return redactor.redact(part);
		});
	const base64 = Buffer.from("hello+there+world").toString("base64");
	const mixed = `a+b%2520c+&amp;amp;+\\\\u0041+${base64} `;
	assert.match(excerptOf(`<p>No such pet. ${mixed.repeat(64_000 / mixed.length)}</p>`, redact), /^No such pet\. a/);
	assert.ok(looked < 500_000, `${looked}`);
	const head = "<html><style>a</style><p>";
	for (let end = 1; end < 24; end++) {
		for (const most of [8 * 1024, 16 * 1024]) {
			const style = `<style>${"a ".repeat(most)}`.slice(0, most - head.length - "</style>".length - end);
			const shown = excerptOf(`${head}${style}</style>${secret} ${"and so on ".repeat(6000)}</p>`, redact);
			assert.ok(!shown.includes(secret.slice(0, 4)), `${end}: ${shown}`);
		}
	}
});

test("a password is taken out of markup however long its tags are, and nothing behind it", () => {
	const blanks = " ".repeat(4_000);
	const long = `my${"password".repeat(400)}`;
	for (const body of [
		`<User><password${blanks}>hidden</password${blanks}><username>ada</username></User>`,
		`<User><x:${long} a="b">hidden <b>words</b></x:${long}><username>ada</username></User>`,
		"<User><PASSWORD>hidden</Password><username>ada</username></User>",
		"<User><password><password>hidden</password><username>ada</username></User>",
	]) {
		assert.equal(excerpt(body), "ada");
	}
	assert.equal(excerpt(`<e><password${blanks}<b>hidden</b></e>`), "hidden");
	assert.ok(!excerpt(`password:"hidden${"\\".repeat(6_000)}`).includes(SECRET));
});

test("an error without a message says what else it holds, every digit of it, and none of its secrets", () => {
	assert.equal(
		excerpt('{"errors":[{"field":"name","id":9007199254740993,"of":null},{"rule":true}],"n":{}}'),
		"errors: field: name, id: 9007199254740993, rule: true",
	);
	assert.equal(excerpt('["no", "such pet"]'), "no, such pet");
	assert.equal(excerpt("42"), "42");
	assert.equal(excerpt("{}"), "");
	assert.equal(
		excerpt('{"api_key":"hidden words","access_token":{"a":"hidden"},"code":7}'),
		"api_key: [redacted], access_token: [redacted], code: 7",
	);
	assert.equal(excerpt('{"message":"","reason":"full"}'), "reason: full");
	assert.match(excerpt(`{"a":${"[".repeat(50_000)}1${"]".repeat(50_000)}}`), /^a: …$/);
	assert.ok(excerpt(JSON.stringify(Array(5_000).fill("long"))).length <= 300);
});

test("a value that is refused is said where it is not a secret's", () => {
	assert.equal(
		excerpt('[{"field":"name","rejectedValue":"Rex"},{"field":"password","rejectedValue":"hidden","rule":"short"}]'),
		"field: name, rejectedValue: Rex, field: password, rejectedValue: [redacted], rule: short",
	);
});

test("a rule behind the name of a password is said, in whatever form it comes", () => {
	for (const rule of ["must have 8 characters", "is too short", "Must contain 8 to 64 letters and a digit."]) {
		for (const body of [
			`password: ${rule}`,
			`{"message":"password: ${rule}"}`,
			`{"errors":{"password":["${rule}"]}}`,
			`{"password":"${rule}",NaN}`,
			`<errors><password>${rule}</password></errors>`,
		]) {
			assert.ok(excerpt(body).includes(rule), `${body} -> ${excerpt(body)}`);
		}
	}
});

test("what could be the password itself is no rule, however much of one it says", () => {
	for (const value of [
		"required",
		"1234",
		"must be 1234",
		"at least 8",
		"the new one",
		"must",
		"is new1",
		"no-user now",
	]) {
		for (const body of [`password: ${value}`, `{"password":"${value}"}`, `<e><password>${value}</password></e>`]) {
			assert.ok(!excerpt(body).includes(value), `${body} -> ${excerpt(body)}`);
		}
	}
});

test("a rule that repeats what was typed is without that", () => {
	const redact = (text: string) => text.replaceAll("short", "[redacted]");
	assert.equal(excerptOf("password: short is too short", redact), "password: [redacted] is too [redacted]");
});

test("what a service says of passwords is said", () => {
	for (const said of ["Invalid username/password supplied", "The password is too short", "No password"]) {
		for (const body of [said, JSON.stringify({ message: said }), `<html><h1>${said}</h1></html>`]) {
			assert.equal(excerpt(body), said);
		}
	}
	assert.equal(excerpt("<User><password /><username>ada</username></User>"), "ada");
	assert.match(excerpt("username=ada&password=hidden&x=1"), /^username=ada&password=\[redacted\]&x=1$/);
});

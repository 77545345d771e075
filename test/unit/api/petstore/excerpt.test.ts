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
	for (const body of ["<e><message>No user Hunter<2>rocks</message></e>", "<pre>No user Hunter<2>rocks here</pre>"]) {
		const shown = excerptOf(body, redact);
		assert.match(shown, /^No user \[redacted\]/);
		assert.doesNotMatch(shown, /Hunter|rocks/);
	}
	const nested = "<e><password>&lt;/password&gt;hidden</password><message>It is not Hunter<2>rocks</message></e>";
	assert.equal(excerptOf(nested, redact), "It is not [redacted]");
});

test("what is longer than any message is none, and costs no cleaning", () => {
	let looked = 0;
	const redact = (text: string) => {
		looked += text.length;
		return text;
	};
	for (const body of [
		`<p>${"a ".repeat(5_000)}</p>`,
		"a ".repeat(5_000),
		JSON.stringify({ message: "a ".repeat(5_000) }),
	]) {
		assert.equal(excerptOf(body, redact), "");
	}
	assert.equal(looked, 0);
	assert.equal(excerpt(JSON.stringify({ trace: "a ".repeat(50_000), message: "why" })), "why");
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
		for (const body of [said, JSON.stringify({ message: said }), `<html><pre>${said}</pre></html>`]) {
			assert.equal(excerpt(body), said);
		}
	}
	assert.match(excerpt("username=ada&password=hidden&x=1"), /^username=ada&password=\[redacted\]&x=1$/);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { excerptOf } from "#api/http/reason.ts";

const excerpt = (body: string) => excerptOf(body, (text) => text.replaceAll("hidden", "[redacted]"));

test("a text that is longer than any message is none", () => {
	for (const body of ["a ".repeat(5_000), JSON.stringify({ message: "a ".repeat(5_000) })])
		assert.equal(excerpt(body), "");
	assert.equal(excerpt(JSON.stringify({ trace: "a ".repeat(50_000), message: "why" })), "why");
});

test("the message of a service is redacted and nothing else of its body is said", () => {
	for (const body of ["No user hidden", '{"message":"No user hidden"}', "<e><message>No user hidden</message></e>"]) {
		assert.equal(excerpt(body), "No user [redacted]");
	}
	assert.equal(excerpt("<User><username>ada</username><password>word</password></User>"), "");
	assert.equal(excerpt('{"username":"ada","password":"word"}'), "");
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { isOfGateway, reasonIn } from "#api/http/reason.ts";

test("an error says why under the names in use, and nothing where it has no message", () => {
	for (const body of [
		{ message: "why" },
		{ status: 404, title: "Not Found", detail: "why" },
		{ title: "why" },
		{ error: "invalid_token", error_description: "why" },
		{ error: "why" },
		{ error: { message: "why" } },
		{ errors: [{ field: "name", message: "why" }] },
		{ errors: ["why"] },
		{ detail: [{ loc: ["body"], msg: "why" }] },
		"why",
	]) {
		assert.equal(reasonIn(JSON.stringify(body)), "why", JSON.stringify(body));
	}
	for (const body of [{ errors: { name: ["why"] }, title: "Errors occurred" }, { name: ["why"] }]) {
		assert.equal(reasonIn(JSON.stringify(body)), "name: why", "of frameworks that list messages by field");
	}
	assert.equal(reasonIn("<e><code>1</code><message>why &amp; how</message></e>"), "why & how");
	assert.equal(reasonIn("why"), "why");
	for (const body of [
		"",
		"{}",
		"42",
		"[]",
		'{"id":7}',
		'{"message":"wh',
		"<e><id>7</id></e>",
		"<e><message><b>x</b>",
		"<!DOCTYPE html><title>Error</title><pre>Cannot GET /pet</pre>",
		"<html><body><h1>404 Not Found</h1></body></html>",
	]) {
		assert.equal(reasonIn(body), "", body);
	}
});

test("a web page with a success, 401 or 403 is not the service's", () => {
	const page = " <?xml version='1.0'?><!-- x --><html><form></form></html>";
	for (const status of [200, 401, 403, 511]) assert.ok(isOfGateway({ status, body: page }), `${status}`);
	for (const status of [404, 500, 502]) assert.ok(!isOfGateway({ status, body: page }), `${status}`);
	for (const body of ["", "{}", "<Pet><id>1</id></Pet>"]) assert.ok(!isOfGateway({ status: 401, body }), body);
});

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { excerptOf } from "#api/http/reason.ts";
import { errorOfPetstoreReply } from "#api/petstore/fault.ts";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";

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

test("a store that refuses JSON as a format needs XML, where that can be chosen", () => {
	const reasonOf = (status: number, name: OperationName, format: "json" | "xml") => {
		const reply = { status, headers: {}, body: "", bytes: 0 };
		return errorOfPetstoreReply(reply, OPERATIONS[name], { redact: String, now: 0, format }).reason;
	};
	assert.equal(reasonOf(415, "updatePet", "json"), "xml-needed");
	assert.equal(reasonOf(406, "findPetsByStatus", "json"), "xml-needed");
	assert.equal(reasonOf(415, "updatePet", "xml"), undefined);
	// These are JSON, a form or a picture in either format.
	for (const name of ["placeOrder", "uploadFile", "updatePetWithForm"] as const) {
		assert.equal(reasonOf(415, name, "json"), undefined, name);
	}
	assert.equal(reasonOf(406, "getInventory", "json"), undefined);
});

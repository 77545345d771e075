import { strict as assert } from "node:assert";
import { test } from "node:test";
import { addHeader, urlBelow } from "#api/http/address.ts";
import { ClientError } from "#base/errors.ts";

test("a path goes below the base URL's own, with one slash between", () => {
	for (const base of ["https://h.test", "https://h.test/", "https://h.test//"]) {
		assert.equal(urlBelow("codehost", base, "/user").href, "https://h.test/user");
	}
	assert.equal(urlBelow("codehost", "https://h.test/a/b/", "/c%2Fd").href, "https://h.test/a/b/c%2Fd");
});

test("a refusal names the service it was for and never a header's value", () => {
	assert.throws(
		() => urlBelow("petstore", "nowhere", "/pet"),
		(error) => error instanceof ClientError && error.service === "petstore" && error.field === "base_url",
	);
	assert.throws(
		() => addHeader({}, ["x-key", "secret\n"], "petstore"),
		(error) => error instanceof ClientError && error.field === "x-key" && !error.message.includes("secret"),
	);
});

test("a header is kept under its name in lower case", () => {
	const headers: Record<string, string> = {};
	addHeader(headers, ["X-Version", "1"], "codehost");
	assert.deepEqual(headers, { "x-version": "1" });
});

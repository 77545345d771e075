import { strict as assert } from "node:assert";
import { test } from "node:test";
import { addHeader, pathPart, urlBelow } from "#api/http/address.ts";
import { refusedField } from "../../../support/refused-field.ts";

test("a path goes below the base URL's own, with one slash between", () => {
	for (const base of ["https://h.test", "https://h.test/", "https://h.test//"]) {
		assert.equal(urlBelow("codehost", base, "/user").href, "https://h.test/user");
	}
	assert.equal(urlBelow("codehost", "https://h.test/a/b/", "/c%2Fd").href, "https://h.test/a/b/c%2Fd");
});

test("a base URL that is no plain http address is refused in the name of its service", () => {
	assert.throws(() => urlBelow("petstore", "nowhere", "/pet"), { service: "petstore" });
	const odd = [
		"",
		"nowhere",
		"ftp://h.test",
		"file:///x",
		"http://u:p@h.test",
		"http://h.test/?a=1",
		"http://h.test/#x",
	];
	for (const base of odd) {
		assert.equal(
			refusedField(() => urlBelow("petstore", base, "/pet")),
			"base_url",
			base,
		);
	}
});

test("a part of a path that is no name is refused by its field", () => {
	for (const bad of ["", "  ", ".", "..", "a/b", "a\\..", "a\nb", "\u0000", "\ud800"]) {
		assert.equal(
			refusedField(() => pathPart("petstore", ["owner", bad])),
			"owner",
			JSON.stringify(bad),
		);
	}
});

test("a header that cannot be sent is refused by name, without its value", () => {
	const refused = (name: string, value = "1") =>
		refusedField(() => addHeader({}, [name, value], "petstore"), "cret-1234");
	for (const value of ["se\ncret-1234", "se\rcret-1234", "cret-1234\u0000", "cret-1234-ключ", "cret-1234\u007f"]) {
		assert.equal(refused("X-Key", value), "x-key", JSON.stringify(value));
	}
	for (const name of ["", "x key", "x:key", "Host", "content-length", "Transfer-Encoding", "proxy-authorization"]) {
		assert.equal(refused(name), name.toLowerCase(), name);
	}
});

test("a header is kept under its name in lower case", () => {
	const headers: Record<string, string> = {};
	addHeader(headers, ["X-Version", "1"], "codehost");
	assert.deepEqual(headers, { "x-version": "1" });
});

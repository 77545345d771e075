import assert from "node:assert/strict";
import { test } from "node:test";
import { pathOf } from "#app/requests/request-log.ts";

test("the path of an address has its query, and is never empty", () => {
	assert.equal(pathOf("https://h.example:8443/a/b?c=d"), "/a/b?c=d");
	assert.equal(pathOf("http://[::1]:80?x=/"), "?x=/");
	assert.equal(pathOf("https://h.example"), "/");
});

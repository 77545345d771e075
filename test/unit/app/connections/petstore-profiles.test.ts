import assert from "node:assert/strict";
import { test } from "node:test";
import { PETSTORE_PROFILE, petstoreProfileOf, signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { parse } from "#base/schema.ts";

const read = (profile: object) => parse(PETSTORE_PROFILE, profile, "petstore");

test("a base path of one's own is used as it is, and none as none", () => {
	for (const basePath of ["", "/v3", "/api/v3"]) {
		assert.equal(petstoreProfileOf(read({ basePath }), "json").basePath, basePath);
	}
	assert.deepEqual(petstoreProfileOf("custom", "xml"), { basePath: "/v2", format: "xml" });
});

test("a person signs in at the base URL without base path, or where the profile says", () => {
	const clientId = "switchboard";
	for (const baseUrl of ["https://a.example", "https://a.example/v2"]) {
		assert.deepEqual(signInTargetOf("custom", baseUrl), { authUrl: "https://a.example", clientId });
	}
	const own = read({ basePath: "", authUrl: "https://id.example/", clientId: "me" });
	assert.deepEqual(signInTargetOf(own, "https://a.example/v2"), { authUrl: "https://id.example", clientId: "me" });
});

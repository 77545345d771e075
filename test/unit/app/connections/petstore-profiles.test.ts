import assert from "node:assert/strict";
import { test } from "node:test";
import { PETSTORE_PROFILE, petstoreProfileOf, signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { parse } from "#base/schema.ts";

const read = (profile: object) => parse(PETSTORE_PROFILE, profile, "petstore");

test("a base path of one's own is used as it is, and none as none", () => {
	const baseUrl = "https://a.example";
	for (const basePath of ["", "/v3", "/api/v3"]) {
		assert.equal(petstoreProfileOf(read({ basePath }), { format: "json", baseUrl }).basePath, basePath);
	}
	const plain = petstoreProfileOf("custom", { format: "xml", baseUrl });
	assert.deepEqual(plain, { basePath: "/v2", format: "xml" });
});

test("an address that ends in the version of its API gets no base path", () => {
	const profile = "custom";
	const pathAt = (baseUrl: string) => petstoreProfileOf(profile, { format: "json", baseUrl }).basePath;
	for (const path of ["/v2", "/api/v3", "/api/v2", "/api/v1", "/shop/v2", "/shop/api/v3"]) {
		const baseUrl = `https://a.example${path}`;
		assert.equal(pathAt(baseUrl), "", path);
		const above = path.startsWith("/shop") ? "https://a.example/shop" : "https://a.example";
		assert.equal(signInTargetOf(profile, baseUrl).authUrl, above, path);
	}
	for (const path of ["", "/shop", "/v2/shop", "/av2"]) assert.equal(pathAt(`https://a.example${path}`), "/v2", path);
	assert.equal(signInTargetOf(read({ basePath: "/shop" }), "https://a.example/shop").authUrl, "https://a.example");
});

test("a person signs in at the base URL without base path, or where the profile says", () => {
	const clientId = "switchboard";
	for (const baseUrl of ["https://a.example", "https://a.example/v2"]) {
		assert.deepEqual(signInTargetOf("custom", baseUrl), { authUrl: "https://a.example", clientId });
	}
	const own = read({ basePath: "", authUrl: "https://id.example/", clientId: "me" });
	assert.deepEqual(signInTargetOf(own, "https://a.example/v2"), { authUrl: "https://id.example", clientId: "me" });
});

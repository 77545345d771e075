import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeConnections } from "#app/connections/connection.ts";
import {
	decodePetstoreFormat,
	decodePetstoreProfile,
	PETSTORE_PRESETS,
	petstoreProfileOf,
	signInTargetOf,
} from "#app/connections/petstore-profiles.ts";
import { ClientError } from "#base/errors.ts";

const place = { service: "petstore", field: "profile" } as const;
const refusedAt = (field: string) => (error: unknown) => error instanceof ClientError && error.field === field;

test("an absent profile and format are the contract's base path and JSON", () => {
	assert.equal(decodePetstoreProfile(undefined, place), "custom");
	assert.equal(decodePetstoreFormat(undefined, place), "json");
	assert.deepEqual(petstoreProfileOf("custom", "xml"), { basePath: "/v2", format: "xml" });
});

test("the address of Swagger Petstore need not be typed", () => {
	assert.equal(PETSTORE_PRESETS["swagger-petstore"].baseUrl, "https://petstore.swagger.io");
});

test("a base path of one's own is used as it is, and none as none", () => {
	for (const basePath of ["", "/v3", "/api/v3"]) {
		const setting = decodePetstoreProfile({ basePath }, place);
		assert.equal(petstoreProfileOf(setting, "json").basePath, basePath);
	}
});

test("a base path that would lead elsewhere is refused by its name", () => {
	for (const basePath of ["v2", "/v2/", "/../v2", "/v2?x", "//host", 2]) {
		assert.throws(() => decodePetstoreProfile({ basePath }, place), refusedAt("profile.basePath"), String(basePath));
	}
});

test("a preset, a part of a profile or a format that nobody knows is refused by its name", () => {
	assert.throws(() => decodePetstoreProfile("swagger", place), refusedAt("profile"));
	assert.throws(() => decodePetstoreProfile({ keyHeader: "x" }, place), refusedAt("profile.keyHeader"));
	assert.throws(() => decodePetstoreFormat("yaml", { ...place, field: "format" }), refusedAt("format"));
});

test("a pet store of the settings is read beside the others, and a broken one costs only itself", () => {
	const store = { id: "a", service: "petstore", label: "A", baseUrl: "https://a.example/", format: "xml" };
	const { connections, problems } = decodeConnections([store, { ...store, id: "b", format: "yaml" }]);
	assert.deepEqual(connections, [{ ...store, baseUrl: "https://a.example", profile: "custom" }]);
	assert.deepEqual(problems, ['switchboard.connections[1].format must be "json" or "xml"']);
});

test("a person signs in at the base URL without its base path, or where the profile says", () => {
	const clientId = "switchboard";
	for (const baseUrl of ["https://a.example", "https://a.example/v2"]) {
		assert.deepEqual(signInTargetOf("custom", baseUrl), { authUrl: "https://a.example", clientId });
	}
	const own = decodePetstoreProfile({ basePath: "", authUrl: "https://id.example/", clientId: "me" }, place);
	assert.deepEqual(signInTargetOf(own, "https://a.example/v2"), { authUrl: "https://id.example", clientId: "me" });
	assert.throws(() => decodePetstoreProfile({ authUrl: "ftp://x" }, place), refusedAt("profile.authUrl"));
});

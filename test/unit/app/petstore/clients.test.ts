import assert from "node:assert/strict";
import { test } from "node:test";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { storeOf } from "#app/petstore/clients.ts";

const one: PetstoreConnection = {
	...{
		id: "a",
		service: "petstore",
		label: "A",
		baseUrl: "https://pets.example/api",
		profile: "custom",
		format: "json",
	},
};

test("a store is the same by http and https, in each format, and with any name", () => {
	for (const other of [
		{ baseUrl: "http://pets.example/api" },
		{ baseUrl: "https://PETS.example:443/api" },
		{ format: "xml" },
		{ id: "b", label: "B" },
	] as const) {
		assert.equal(storeOf({ ...one, ...other }), storeOf(one));
	}
});

test("another host, port or path is another store", () => {
	for (const baseUrl of ["https://pets.test/api", "https://pets.example:8443/api", "https://pets.example/other"]) {
		assert.notEqual(storeOf({ ...one, baseUrl }), storeOf(one));
	}
});

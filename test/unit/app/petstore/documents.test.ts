import assert from "node:assert/strict";
import { test } from "node:test";
import { pathSegment, type StoreSubject, subjectAddress, subjectOf } from "#app/petstore/documents.ts";
import { int64Of } from "#base/int64.ts";

const id = int64Of("9223372036854775807") ?? assert.fail();

const ODD = ["pets", "a/b", "..", "50%", "Größe #1?", "a.json", "two\nlines", "card", "x".repeat(900), "\u202e\ud800"];

test("the address of a document leads back to its subject, whatever the names in it", () => {
	for (const name of ODD) {
		const subjects: readonly StoreSubject[] = [
			{ kind: "pet", connection: name.toWellFormed(), id },
			{ kind: "new pet", connection: "pets", count: 1 },
			{ kind: "new pet", connection: "pets", count: 2 },
			{ kind: "user", connection: "pets", username: name.toWellFormed() },
			{ kind: "order", connection: "pets", id: "7" },
		];
		for (const subject of subjects) assert.deepEqual(subjectOf(subjectAddress(subject, name, name)), subject);
	}
});

test("the path of an address is a short file of the store, below no other folder", () => {
	for (const name of ODD) {
		const { path } = subjectAddress({ kind: "pet", connection: "pets", id }, name, name);
		assert.match(path, /^\/[^/%\\?#:\n]{1,60}\/[^/%\\?#:\n]{1,65}$/u);
		assert.doesNotMatch(path, /\/\.+(?:\/|$)/);
	}
});

test("tabs of pets, users and orders carry names, and a pet without one its id", () => {
	const pet = { kind: "pet", connection: "petstore-5xgc52fu", id } as const;
	const pathOf = (...given: Parameters<typeof subjectAddress>) => subjectAddress(...given).path;
	assert.equal(pathOf(pet, "Sandbox", "Biscuit"), "/Sandbox/Biscuit.json");
	assert.equal(pathOf(pet, "Sandbox"), `/Sandbox/Pet ${id}.json`);
	assert.equal(pathOf({ kind: "order", connection: "x", id: "2" }, "Sandbox"), "/Sandbox/orders/Order 2.json");
	assert.equal(pathOf({ kind: "user", connection: "x", username: "ada" }, "A/B"), "/A_B/users/ada.json");
	assert.equal(pathSegment("...", "Image"), "Image");
});

test("the address of a tab of an earlier version leads to its subject", () => {
	const at = (path: string) => subjectOf({ path, query: "" });
	assert.deepEqual(at(`/a%2Fb/Pet ${id}.json`), { kind: "pet", connection: "a/b", id });
	assert.deepEqual(at("/pets/New Pet.json"), { kind: "new pet", connection: "pets", count: 1 });
	assert.deepEqual(at("/pets/New Pet 2.json"), { kind: "new pet", connection: "pets", count: 2 });
	assert.deepEqual(at("/pets/users/a%2Fb.json"), { kind: "user", connection: "pets", username: "a/b" });
	assert.deepEqual(at("/pets/orders/7.json"), { kind: "order", connection: "pets", id: "7" });
});

test("an address of no document leads to none", () => {
	const paths = ["/pets", "/pets/users", "/pets/Pet x.json", "/pets/Pet 9223372036854775808.json", "/%/users/ada.json"];
	for (const path of [...paths, "/a/b/Pet 1.json"]) assert.equal(subjectOf({ path, query: "" }), undefined, path);
	for (const query of ["pets", "pets/pet", "pets/pet/x", "pets/dog/1", "%/pet/1", "/pet/1"]) {
		assert.equal(subjectOf({ path: "/Sandbox/Biscuit.json", query }), undefined, query);
	}
});

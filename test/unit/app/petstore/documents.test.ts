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
	const order = { kind: "order", connection: "x", id: "2" } as const;
	assert.equal(pathOf(order, "Sandbox"), "/Sandbox/orders/Order 2.json");
	assert.equal(pathOf(order, "Sandbox", "Rex/Max"), "/Sandbox/orders/Order 2 for Rex_Max.json");
	assert.equal(pathOf({ kind: "user", connection: "x", username: "ada" }, "A/B"), "/A_B/users/ada.json");
	assert.equal(pathSegment("...", "Image"), "Image");
});

test("an address of no document leads to none", () => {
	for (const query of [
		"",
		"/pet/1",
		"pets",
		"pets/pet",
		"pets/pet/x",
		"pets/dog/1",
		"pets/pet/9223372036854775808",
		"%/pet/1",
	]) {
		assert.equal(subjectOf({ query }), undefined, query);
	}
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionOfPath, pathOfPet, petOfPath } from "#app/petstore/pet-documents.ts";

test("the path of a pet's document leads back to the pet, whatever its store is called", () => {
	for (const connection of ["pets", "a/b", "..", "50%", "Größe #1?"]) {
		const pet = { connection, id: "9223372036854775807" };
		const path = pathOfPet(pet);
		assert.match(path, /^\/[^/]+\/Pet 9223372036854775807\.json$/);
		assert.deepEqual(petOfPath(path), pet);
		assert.equal(connectionOfPath(path), connection);
	}
});

test("a path that is no pet's is none", () => {
	for (const path of ["/pets", "/pets/Pet x.json", "/pets/Pet 9223372036854775808.json", "/a/b/Pet 1.json"]) {
		assert.equal(petOfPath(path), undefined, path);
	}
	assert.equal(connectionOfPath("/%/Pet 1.json"), "%");
});

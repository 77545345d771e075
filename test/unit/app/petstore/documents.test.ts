import assert from "node:assert/strict";
import { test } from "node:test";
import { documentPath, type StoreSubject, subjectOf } from "#app/petstore/documents.ts";
import { int64Of } from "#base/int64.ts";

const id = int64Of("9223372036854775807") ?? assert.fail();

test("the path of a document leads back to its subject, whatever its name", () => {
	for (const name of ["pets", "a/b", "..", "50%", "Größe #1?", "a.json", "two\nlines"]) {
		const subjects: readonly StoreSubject[] = [
			{ kind: "pet", connection: name, id },
			{ kind: "new pet", connection: name, count: 1 },
			{ kind: "new pet", connection: name, count: 2 },
			{ kind: "user", connection: name, username: name },
			{ kind: "order", connection: name, id: "7" },
		];
		for (const subject of subjects) assert.deepEqual(subjectOf(documentPath(subject)), subject);
	}
	assert.equal(documentPath({ kind: "pet", connection: "pets", id }), "/pets/Pet 9223372036854775807.json");
});

test("a path of no document leads to none", () => {
	const others = ["/pets/Pet x.json", "/pets/Pet 9223372036854775808.json", "/a/b/Pet 1.json", "/%/users/ada.json"];
	for (const path of ["/pets", "/pets/users", ...others]) assert.equal(subjectOf(path), undefined, path);
});

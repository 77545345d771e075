import assert from "node:assert/strict";
import { test } from "node:test";
import { pathOfSubject, subjectOfPath } from "#app/petstore/store-documents.ts";

test("the path of a document leads back to its user or order, whatever they are called", () => {
	for (const name of ["pets", "a/b", "..", "50%", "Größe #1?", "a.json", "two\nlines"]) {
		for (const subject of [
			{ kind: "user", connection: name, username: name },
			{ kind: "order", connection: name, id: "7" },
		] as const) {
			const path = pathOfSubject(subject);
			assert.match(path, /^\/[^/]+\/(?:users|orders)\/[^/]+\.json$/);
			assert.deepEqual(subjectOfPath(path), subject);
		}
	}
});

test("a path that is no user's and no order's is none", () => {
	for (const path of ["/pets", "/pets/users", "/pets/Pet 1.json", "/%/users/ada.json"]) {
		assert.equal(subjectOfPath(path), undefined, path);
	}
});

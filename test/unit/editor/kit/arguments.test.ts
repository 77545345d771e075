import assert from "node:assert/strict";
import { test } from "node:test";
import { unquoted } from "#app/connections/fields.ts";
import { givenSecret, optionalPassphrase, optionalSecret } from "#editor/kit/arguments.ts";

test("a passphrase is taken just as it is, blank space and all", () => {
	assert.equal(optionalPassphrase({ passphrase: " a b " }), " a b ");
	assert.equal(optionalPassphrase({ passphrase: " " }), " ");
	assert.equal(optionalPassphrase({}), undefined);
	assert.throws(() => optionalPassphrase({ passphrase: "" }), { field: "passphrase" });
	assert.throws(() => optionalPassphrase({ passphrase: 7 }), { field: "passphrase" });
});

test("a key or token is taken as it is meant, however it was copied, and only one that may be absent may be empty", () => {
	const fields = { token: "'Bearer t-1' ", empty: "" };
	assert.deepEqual([givenSecret(fields, "token"), optionalSecret(fields, "token")], ["t-1", "t-1"]);
	assert.equal(optionalSecret(fields, "token", unquoted), "Bearer t-1");
	assert.deepEqual([givenSecret(fields, "none"), optionalSecret(fields, "empty")], [undefined, undefined]);
	assert.throws(() => givenSecret(fields, "empty"), { field: "empty" });
});

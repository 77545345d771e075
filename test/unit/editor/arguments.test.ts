import assert from "node:assert/strict";
import { test } from "node:test";
import { optionalPassphrase } from "#editor/arguments.ts";

test("a passphrase is taken just as it is, blank space and all", () => {
	assert.equal(optionalPassphrase({ passphrase: " a b " }), " a b ");
	assert.equal(optionalPassphrase({ passphrase: " " }), " ");
	assert.equal(optionalPassphrase({}), undefined);
	assert.throws(() => optionalPassphrase({ passphrase: "" }), { field: "passphrase" });
	assert.throws(() => optionalPassphrase({ passphrase: 7 }), { field: "passphrase" });
});

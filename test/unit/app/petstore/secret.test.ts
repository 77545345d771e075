import assert from "node:assert/strict";
import { test } from "node:test";
import { bareToken, petstoreSecret, readPetstoreSecret } from "#app/petstore/secret.ts";

test("a key and a token come back as they went, each without the other too", () => {
	const token = { value: "t-1", scopes: ["read:pets"], expiresAt: 1_000 };
	for (const secret of [{ apiKey: "k-1" }, { token }, { apiKey: "k-1", token }, { token: bareToken("t-2") }]) {
		assert.deepEqual(readPetstoreSecret(petstoreSecret(secret)), secret);
	}
});

test("with neither key nor token there is nothing to store, and nothing stored is neither", () => {
	assert.equal(petstoreSecret({}), undefined);
	assert.deepEqual(readPetstoreSecret(undefined), {});
});

test("what no header could carry is refused by its name, without being repeated", () => {
	const refused = (field: string) => (error: Error & { field?: string }) =>
		error.field === field && !error.message.includes("schlüssel");
	assert.throws(() => petstoreSecret({ apiKey: "schlüssel" }), refused("apiKey"));
	assert.throws(() => petstoreSecret({ token: bareToken("schlüssel\n") }), refused("token"));
});

for (const stored of ["", "not json", "null", "{}", '{"v":2,"apiKey":"x"}', "special-key"]) {
	test(`what no store's secret was stored as is no store's secret: ${JSON.stringify(stored)}`, () => {
		assert.throws(() => readPetstoreSecret(stored), { code: "unauthorized", field: "key" });
	});
}

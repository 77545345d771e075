import assert from "node:assert/strict";
import { test } from "node:test";
import { bareToken, petstoreSecret, readPetstoreSecret } from "#app/connections/petstore-secret.ts";

test("a key and a token come back as they went, each without the other too", () => {
	const token = { value: "t-1", scopes: ["read:pets"], expiresAt: 1_000 };
	for (const secret of [{ apiKey: "k-1" }, { token }, { apiKey: "k-1", token }, { token: bareToken("t-2") }]) {
		assert.deepEqual(readPetstoreSecret(petstoreSecret(secret)), secret);
	}
});

test("a stored token whose end is no possible date has an unknown end", () => {
	const token = { value: "t-1", scopes: null, expiresAt: 9e15 };
	assert.deepEqual(readPetstoreSecret(petstoreSecret({ token })), { token: { ...token, expiresAt: null } });
});

test("with neither key nor token nothing is stored, and nothing stored is neither", () => {
	assert.equal(petstoreSecret({}), undefined);
	assert.deepEqual(readPetstoreSecret(undefined), {});
});

test("a secret that no header can carry is refused by field, without repeating it", () => {
	const refused = (field: string) => (error: Error & { field?: string }) =>
		error.field === field && !error.message.includes("schlüssel");
	assert.throws(() => petstoreSecret({ apiKey: "schlüssel" }), refused("apiKey"));
	assert.throws(() => petstoreSecret({ token: bareToken("schlüssel\n") }), refused("token"));
});

const BROKEN = ["", "not json", "null", "{}", '{"v":2,"apiKey":"x"}', "special-key"];
for (const parts of ["", '"apiKey":7', '"token":"bare"', '"apiKey":"k-1","token":{"scopes":null}', '"apiKey":null']) {
	BROKEN.push(`{"v":1${parts === "" ? "" : `,${parts}`}}`);
}

for (const stored of BROKEN) {
	test(`anything but a stored secret of a store cannot be read: ${JSON.stringify(stored)}`, () => {
		const broken = { code: "unauthorized", field: "key", reason: "unreadable" };
		assert.throws(() => readPetstoreSecret(stored), broken);
	});
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { appSecret, readAppSecret } from "#app/connections/codehost-secret.ts";
import { privateKey } from "../../../support/rsa-pair.ts";

const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const encrypted = privateKey
	.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "open sesame" })
	.toString();

test("a key and its passphrase come back as they went", () => {
	assert.deepEqual(readAppSecret(appSecret({ privateKey: pem })), { privateKey: pem });
	const secret = { privateKey: encrypted, passphrase: "open sesame" };
	assert.deepEqual(readAppSecret(appSecret(secret)), secret);
});

test("a key that cannot be used is not stored, and the reason says what is missing", () => {
	assert.throws(() => appSecret({ privateKey: encrypted }), { field: "passphrase", reason: "passphrase-needed" });
	assert.throws(() => appSecret({ privateKey: encrypted, passphrase: "no" }), { reason: "passphrase-wrong" });
	assert.throws(() => appSecret({ privateKey: "nothing" }), { field: "private_key" });
});

for (const stored of ["", "not json", "null", "{}", '{"v":2,"privateKey":"x"}', '{"v":1,"privateKey":7}', pem]) {
	test(`anything but a stored app secret is no app secret: ${JSON.stringify(stored.slice(0, 30))}`, () => {
		assert.throws(() => readAppSecret(stored), { code: "unauthorized", field: "key" });
	});
}

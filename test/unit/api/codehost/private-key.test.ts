import { strict as assert } from "node:assert";
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { test } from "node:test";
import { readAppKey } from "#api/codehost/private-key.ts";
import { ClientError } from "#base/errors.ts";
import { privateKey, publicKey } from "../../../support/rsa-pair.ts";

const pkcs1 = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
const pkcs8 = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const passphrase = "correct horse";
const encrypted = { cipher: "aes-256-cbc", passphrase, format: "pem" } as const;
const pkcs8Encrypted = privateKey.export({ ...encrypted, type: "pkcs8" }).toString();
const pkcs1Encrypted = privateKey.export({ ...encrypted, type: "pkcs1" }).toString();

/** Whether the text is read as exactly our key: what it signs is verified by our public key. */
function reads(text: string, options: { passphrase?: string } = {}): boolean {
	const { key, bits } = readAppKey(text, options);
	assert.equal(bits, 2048);
	return verify("sha256", Buffer.from("data"), publicKey, sign("sha256", Buffer.from("data"), key));
}

function refusal(text: string, options: { passphrase?: string } = {}): ClientError {
	try {
		readAppKey(text, options);
	} catch (error) {
		assert.ok(error instanceof ClientError, String(error));
		assert.equal(error.code, "invalid");
		assert.ok(error.message.startsWith(error.field ?? "?"), "the sentence begins with the field");
		for (const line of text.split(/\s+/).filter((line) => line.length > 20)) {
			assert.ok(!error.message.includes(line), "no part of the text is repeated");
		}
		return error;
	}
	throw new Error("nothing was refused");
}

const shapes: Readonly<Record<string, (pem: string) => string>> = {
	"as it is": (pem) => pem,
	"with Windows line ends": (pem) => pem.replaceAll("\n", "\r\n"),
	"on one line with \\n written out": (pem) => pem.replaceAll("\n", "\\n"),
	"on one line with \\r\\n written out": (pem) => pem.replaceAll("\n", "\\r\\n"),
	"with spaces for line breaks": (pem) => pem.replaceAll("\n", " "),
	"with no line breaks at all": (pem) => pem.replaceAll("\n", ""),
	"in quotes, as from an environment file": (pem) => `"${pem.replaceAll("\n", "\\n")}"`,
	"indented, as from a YAML file": (pem) => pem.replaceAll(/^/gm, "    "),
	"with a byte order mark and blank lines around": (pem) => `\uFEFF\n\n${pem}\n\n`,
	"encoded in base64 as a whole": (pem) => Buffer.from(pem).toString("base64"),
	"after other text and a certificate": (pem) =>
		`Bag Attributes\n  friendlyName: app\n-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n${pem}`,
};

for (const [shape, change] of Object.entries(shapes)) {
	test(`PKCS#1 and PKCS#8 keys are read ${shape}`, () => {
		assert.ok(reads(change(pkcs1)));
		assert.ok(reads(change(pkcs8)));
	});
}

test("an encrypted key is read with its passphrase, also without its line breaks", () => {
	for (const pem of [pkcs8Encrypted, pkcs1Encrypted]) {
		for (const change of ["as it is", "with spaces for line breaks", "on one line with \\n written out"]) {
			assert.ok(reads(shapes[change]?.(pem) ?? "", { passphrase }), change);
		}
	}
});

test("a missing passphrase and a wrong one have reasons of their own", () => {
	for (const pem of [pkcs8Encrypted, pkcs1Encrypted]) {
		for (const options of [{}, { passphrase: "" }]) {
			const needed = refusal(pem, options);
			assert.deepEqual([needed.field, needed.reason], ["passphrase", "passphrase-needed"]);
		}
		const wrong = refusal(pem, { passphrase: "wrong" });
		assert.deepEqual([wrong.field, wrong.reason], ["passphrase", "passphrase-wrong"]);
	}
});

test("a wrong passphrase that happens to yield bytes is still wrong", () => {
	for (let attempt = 0; attempt < 2000; attempt++) {
		const wrong = refusal(pkcs1Encrypted, { passphrase: `wrong ${attempt}` });
		assert.equal(wrong.reason, "passphrase-wrong", wrong.message);
	}
});

test("a key with a legacy OpenSSL cipher is refused with a command that converts it", () => {
	const old =
		"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMFgwHAYKKoZIhvcNAQwBBjAOBAgvHEffsonXfAICCAAEOIe8uGB/fMUuzd1pnAto\nIOiGpSDu6ti3qSErUV24McMv1J/i5eKbM3tf1DBmTtSz6h/ZKjoe4re5\n-----END ENCRYPTED PRIVATE KEY-----";
	assert.match(refusal(old, { passphrase: "x" }).message, /openssl rsa -provider legacy -provider default -in/);
});

test("a text longer than 64 KB is refused at once, with its name and the limit", () => {
	const message = `-----BEGIN ${"-".repeat(8_000_000)}`;
	assert.match(refusal(message).message, /^private_key is longer than 64 KB/);
});

test("a passphrase for a key that needs none changes nothing", () => assert.ok(reads(pkcs1, { passphrase: "any" })));

test("anything but a private key is named, with the way to the right one", () => {
	const publicPem = publicKey.export({ type: "spki", format: "pem" }).toString();
	const publicPkcs1 = publicKey.export({ type: "pkcs1", format: "pem" }).toString();
	const openssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----";
	const rows: readonly (readonly [text: string, said: RegExp])[] = [
		[openssh, /OpenSSH's own format.*ssh-keygen -p .*-m PEM/],
		[openssh.replaceAll("\n", " "), /OpenSSH's own format/],
		[publicPem, /is a public key; .*\.pem file/],
		[publicPkcs1, /is a public key/],
		["ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ someone@host", /is a public key; .*\.pem file/],
		["-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----", /is a certificate; .*\.pem file/],
		["PuTTY-User-Key-File-3: ssh-rsa", /PuTTY.*Export/],
		[`service_pat_${"x".repeat(40)}`, /is an access token/],
		["-----BEGIN SOMETHING-----\nTUlJ\n-----END SOMETHING-----", /is not a private key/],
		["hello", /has no BEGIN line/],
		["  \n ", /is missing/],
	];
	for (const [text, said] of rows) {
		const error = refusal(text);
		assert.equal(error.field, "private_key");
		assert.match(error.message, said);
	}
});

test("a truncated or damaged key is distinguished from one of the wrong kind", () => {
	const lines = pkcs1.split("\n");
	assert.match(refusal(lines.slice(0, 10).join("\n")).message, /breaks off before its END line/);
	assert.match(refusal(lines.toSpliced(5, 10).join("\n")).message, /is damaged/);
	assert.match(refusal(pkcs1.replace(/^M/m, "*")).message, /characters that no key has/);
	assert.match(refusal(pkcs1.replace("END RSA", "END EC")).message, /END line does not match/);
});

test("only RSA keys are taken", () => {
	const pem = (pair: { privateKey: { export(options: { type: "pkcs8"; format: "pem" }): string | Buffer } }) =>
		pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
	const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
	assert.match(refusal(pem(ec)).message, /must be an RSA key, and this is one of the type ec;/);
	const sec1 = ec.privateKey.export({ type: "sec1", format: "pem" }).toString();
	assert.match(refusal(sec1).message, /must be an RSA key/);
	assert.match(refusal(pem(generateKeyPairSync("ed25519"))).message, /of the type ed25519;/);
	assert.match(refusal(pem(generateKeyPairSync("rsa-pss", { modulusLength: 2048 }))).message, /of the type rsa-pss;/);
});

test("an RSA key shorter than 2048 bits is refused with its length", () => {
	const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
	const message = refusal(short.export({ type: "pkcs1", format: "pem" }).toString()).message;
	assert.match(message, /at least 2048 bits, and this one has 1024/);
});

test("the fingerprint is the SHA-256 of the public key, whatever the private form", () => {
	const der = createPublicKey(privateKey).export({ type: "spki", format: "der" });
	const expected = `SHA256:${createHash("sha256").update(der).digest("base64")}`;
	assert.equal(readAppKey(pkcs1).fingerprint, expected);
	assert.equal(readAppKey(pkcs8Encrypted, { passphrase }).fingerprint, expected);
});
